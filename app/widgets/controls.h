#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace headscope {

enum class Icon { undo, redo, find, more };

/// A quiet square button with an icon. Returns true if clicked.
bool icon_button(Ui& ui, Icon icon, const char* id, const char* tooltip, bool enabled = true);

/// The width and height of an icon button in design units.
inline constexpr float icon_button_size = 28.0F;

/// A label on the left and a switch on the right. Returns true if it was switched.
bool toggle(Ui& ui, const char* label, bool& on, const char* tooltip);

/// A choice of one option from a few, side by side over the full width. `id` is not shown.
bool segmented(Ui& ui, const char* id, std::span<const std::string> options, int& selected,
               const char* tooltip);

enum class ButtonStyle { quiet, plain, primary };
/// `shortcut` ("Ctrl E") is shown as a chip beside the label, unless it is empty. A width of 0 fits the text.
bool button(Ui& ui, const char* label, const char* tooltip, const char* shortcut = "",
            ButtonStyle style = ButtonStyle::plain, float width = 0.0F);
/// The width of a button that fits its label, in ImGui pixels.
float button_width(const Ui& ui, const char* label);
/// Underlined text that can be clicked. A quiet link has the accent colour only while the mouse is over it.
/// It suits places with many links.
bool link(Ui& ui, const char* label, const char* tooltip, float size = text_size::control,
          ButtonStyle style = ButtonStyle::plain);
/// A link that can be disabled. It takes the same space either way.
bool link_if(Ui& ui, bool enabled, const char* label, const char* tooltip, float size = text_size::control);
/// The width of a link in ImGui pixels.
float link_width(const Ui& ui, const char* label, float size = text_size::control);
/// Places the next item `gap` after the last one, or on a new line if `width` does not fit there. Both are in
/// ImGui pixels.
void continue_line(float gap, float width);

/// The texts of some items, for a list.
template <class Items, class Text>
std::vector<std::string> listed(const Items& items, const Text& text) {
  std::vector<std::string> all;
  all.reserve(std::size(items));
  for (const auto& item : items) all.emplace_back(std::invoke(text, item));
  return all;
}

/// A label on the left and a drop-down list on the right. A hidden label ("##id") gives the list the full
/// width. `subtitles` are quiet second lines, one for each option or none. `headings` stand above options,
/// one for each option (mostly empty) or none.
bool combo(Ui& ui, const char* label, std::span<const std::string> options, int& selected,
           const char* tooltip, std::span<const std::string> subtitles = {},
           std::span<const std::string> headings = {});

/// A button that opens a list below it. Returns the chosen entry. An entry may end in a tab and its shortcut.
std::optional<int> menu(Ui& ui, const char* label, std::span<const std::string> entries, const char* tooltip,
                        ButtonStyle style = ButtonStyle::quiet);

/// The same below a link.
std::optional<int> link_menu(Ui& ui, const char* label, std::span<const std::string> entries,
                             const char* tooltip, std::span<const std::string> headings = {});

/// The same below an icon.
std::optional<int> icon_menu(Ui& ui, Icon icon, const char* id, std::span<const std::string> entries,
                             const char* tooltip);

/// A label on the left, and on the right a whole number that can be edited after a click.
bool number_field(Ui& ui, const char* label, std::uint64_t& value, std::uint64_t max, const char* tooltip);
/// The same for any finite number.
bool decimal_field(Ui& ui, const char* label, float& value, const char* tooltip);

}  // namespace headscope
