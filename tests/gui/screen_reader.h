#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// A run of letters on one line, without its spaces.
struct ScreenText {
  std::string text;
  std::vector<Box> letters;  ///< one per letter, in ImGui pixels
  Box box() const;           ///< around all letters
};

/// The smallest box around the given boxes, of which there must be at least one.
Box around(std::span<const Box> boxes);

/// A letter as it was drawn, in ImGui pixels.
struct DrawnLetter {
  char32_t character = 0;
  float size = 0.0F;  ///< the font's size
  Box box;
  Box clip;  ///< parts outside of it are invisible
  bool is_upright = true;
  bool is_seen() const;  ///< whether its middle is visible
};

/// The letters of a part of the screen, in drawing order.
std::vector<DrawnLetter> letters_of(const ImDrawList& list);

/// The text on the screen in the last frame, in drawing order. Every glyph is recognised by its place in the
/// font atlas. Text below a sheet is included; clipped text is not.
std::vector<ScreenText> read_screen();

/// The runs that are exactly this text, in drawing order. Spaces are ignored.
std::vector<Box> find_text(std::string_view text);

/// The boxes of these letters within runs, in drawing order.
std::vector<Box> find_letters(std::string_view text);

/// Whether these letters are on the screen in this order, regardless of line breaks.
bool screen_contains(std::string_view text);

}  // namespace headscope
