#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/ui.h"

namespace headscope::paint {

/// A colour at the current opacity, because disabled controls fade.
ImU32 ink(Color color);

/// The colour of disabled text.
inline Color faint(const Theme& theme) {
  return mixed(theme.panel, theme.quiet, 0.6F);
}

/// The part of a label before "##". The rest only makes ids unique.
std::string_view visible(const char* label);

/// The prefix of a text that ImGui can draw on one line: at most 16,383 letters, because it counts a text's
/// vertices in 16 bits.
std::string_view drawable(std::string_view text);

/// The width of a text in ImGui pixels.
float text_width(const Ui& ui, std::string_view text, Font font, float size);

enum class Align { left, center, right };
/// Draws one line of text with its middle at `y`, aligned at `x`. Returns its width.
float text(const Ui& ui, ImDrawList& list, float x, float y, std::string_view text, Font font, float size,
           Color color, Align align = Align::left);

/// The size of some lines of text in ImGui pixels.
ImVec2 lines_size(const Ui& ui, const std::vector<std::string>& lines, Font font, float size);
/// Draws lines of text below each other, from their upper left corner.
void lines(const Ui& ui, ImDrawList& list, ImVec2 corner, const std::vector<std::string>& lines, Font font,
           float size, Color color);

/// The longest prefix of a text that fits, followed by "…" if it was cut.
std::string fitted(const Ui& ui, std::string_view text, Font font, float size, float width);

/// A text wrapped into at most `most` lines, the last of which ends in “…” if it goes on. `width` is in ImGui
/// pixels.
std::vector<std::string> wrapped(const Ui& ui, std::string_view text, Font font, float size, float width,
                                 std::size_t most);

/// A rounded box with a thin border.
void card(const Ui& ui, ImDrawList& list, ImVec2 min, ImVec2 max, Color ground, Color border, float rounding);

/// Draws a cross with arms of this length, in ImGui pixels.
void cross(ImDrawList& list, ImVec2 middle, float arm, ImU32 ink, float thickness);

/// Draws a ring around the last item if it has the keyboard focus.
void focus_ring(const Ui& ui, ImDrawList& list, float rounding);

}  // namespace headscope::paint
