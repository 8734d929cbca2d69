#pragma once

#include "core/figure/figure.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// The colours of the window and of exported figures.
struct Theme {
  Color ground;  ///< The background behind the panels.
  Color panel;
  Color line;  ///< Unobtrusive borders.
  Color text;
  Color quiet;        ///< Secondary text.
  Color accent;       ///< The single accent colour: of what is selected, and of links.
  Color accent_soft;  ///< The accent colour as a background, such as that of a selected token.
  /// The colour of data: bars, curves and lines of non-negative numbers. Never used for selections; nor is
  /// the accent colour, which resembles that of negative numbers, for data.
  Color data;
  Color control;  ///< The background of buttons, tracks and segments.
  Color warning;  ///< The text of messages that need an answer.
  Color right;    ///< The text that confirms a right answer.
};

inline const Theme& light_theme() {
  static constexpr Theme theme{.ground = {246, 247, 249},
                               .panel = {255, 255, 255},
                               .line = {227, 230, 235},
                               .text = {27, 31, 39},
                               .quiet = {106, 114, 128},
                               .accent = {180, 87, 8},
                               .accent_soft = {251, 236, 220},
                               .data = {43, 106, 153},
                               .control = {240, 242, 246},
                               .warning = {176, 42, 32},
                               .right = {20, 118, 58}};
  return theme;
}

inline const Theme& dark_theme() {
  static constexpr Theme theme{.ground = {20, 22, 27},
                               .panel = {27, 30, 37},
                               .line = {43, 48, 58},
                               .text = {232, 234, 238},
                               .quiet = {141, 149, 163},
                               .accent = {242, 163, 58},
                               .accent_soft = {66, 50, 30},
                               .data = {86, 160, 222},
                               .control = {37, 41, 50},
                               .warning = {255, 128, 112},
                               .right = {104, 206, 134}};
  return theme;
}

inline const Theme& theme_of(ThemeName name) {
  return name == ThemeName::dark ? dark_theme() : light_theme();
}

}  // namespace headscope
