#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// A run of letters on one line, without its spaces.
struct ScreenText {
  std::string text;
  std::vector<Box> letters;  ///< a letter each, in ImGui pixels
  Box box() const;           ///< around all of them
};

/// A letter as it was drawn, in ImGui pixels.
struct DrawnLetter {
  char32_t character = 0;
  float size = 0.0F;  ///< of its font
  Box box;
  Box clip;  ///< what is outside of this is not seen
  bool is_upright = true;
  bool is_seen() const;  ///< its middle is
};

/// The letters of a part of the screen, in drawing order.
std::vector<DrawnLetter> letters_of(const ImDrawList& list);

/// What the last frame wrote on the screen, in drawing order: every glyph is known by its place in the font
/// atlas. What lies under a sheet is read too; what a clip cuts away is not.
std::vector<ScreenText> read_screen();

/// The runs that are exactly this text (spaces do not count), in drawing order.
std::vector<Box> find_text(std::string_view text);

/// Where these letters stand within a run, in drawing order.
std::vector<Box> find_letters(std::string_view text);

/// Whether these letters stand on the screen in this order, wherever the lines break.
bool screen_says(std::string_view text);

}  // namespace headscope
