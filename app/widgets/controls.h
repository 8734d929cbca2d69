#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/ui/ui.h"
#include "app/widgets/icon.h"

namespace headscope {

/// Label left, switch right. True when it was switched.
bool toggle(Ui& ui, const char* label, bool& on, const char* tooltip);

/// One of a few, side by side over the full width. `id` is not shown.
bool segmented(Ui& ui, const char* id, std::span<const std::string> options, int& selected,
               const char* tooltip);

enum class ButtonLook { quiet, plain, primary };
/// `shortcut` ("Ctrl E") is shown as a chip beside the label; empty: none. A width of 0 fits the text.
bool button(Ui& ui, const char* label, const char* tooltip, const char* shortcut = "",
            ButtonLook look = ButtonLook::plain, float width = 0.0F);
/// The width of a button that fits its label, in ImGui pixels.
float button_width(const Ui& ui, const char* label);
/// Text in the accent colour that can be clicked, in the line of text.
bool link(Ui& ui, const char* label, const char* tooltip, float size = text_size::control);

/// Label left, list right; an empty label ("##id") gives the list the full width. `subtitles`: a quiet second
/// line for each option, or none. `headings`: what stands above each option, empty for most, or none.
bool combo(Ui& ui, const char* label, std::span<const std::string> options, int& selected,
           const char* tooltip, std::span<const std::string> subtitles = {},
           std::span<const std::string> headings = {});

/// A button that opens a list below it. The entry that was chosen.
std::optional<int> menu(Ui& ui, const char* label, std::span<const std::string> entries, const char* tooltip,
                        ButtonLook look = ButtonLook::quiet);

/// The same below a link.
std::optional<int> link_menu(Ui& ui, const char* label, std::span<const std::string> entries,
                             const char* tooltip);

/// The same below an icon.
std::optional<int> icon_menu(Ui& ui, Icon icon, const char* id, std::span<const std::string> entries,
                             const char* tooltip);

/// Label left, whole number right that a click lets type.
bool number_field(Ui& ui, const char* label, std::uint64_t& value, std::uint64_t max, const char* tooltip);
/// The same for any finite number.
bool decimal_field(Ui& ui, const char* label, float& value, const char* tooltip);

}  // namespace headscope
