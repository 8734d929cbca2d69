#pragma once

#include <string_view>

#include "app/ui/ui.h"

namespace headscope::paint {

/// A colour with the opacity of what is drawn now (disabled controls fade).
ImU32 ink(Color color);

/// The part of a label before "##", which only tells ids apart.
std::string_view visible(const char* label);

/// The beginning of a text that a line of the screen can hold: ImGui counts the vertices of one text in 16
/// bits, so that more than 16,383 letters are too many, however little room they take.
std::string_view drawable(std::string_view text);

/// In ImGui pixels.
float text_width(const Ui& ui, std::string_view text, Font font, float size);

enum class Align { left, center, right };
/// One line, its middle at `y`, aligned at `x`. Returns its width.
float text(const Ui& ui, ImDrawList& list, float x, float y, std::string_view text, Font font, float size,
           Color color, Align align = Align::left);

/// The longest beginning that fits, "…" in place of the rest.
std::string fitted(const Ui& ui, std::string_view text, Font font, float size, float width);

/// A rounded box with a thin border.
void card(const Ui& ui, ImDrawList& list, ImVec2 min, ImVec2 max, Color ground, Color border, float rounding);

/// Around the last item when the keyboard is on it.
void focus_ring(const Ui& ui, ImDrawList& list, float rounding);

}  // namespace headscope::paint
