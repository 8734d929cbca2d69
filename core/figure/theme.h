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

const Theme& light_theme();
const Theme& dark_theme();
const Theme& theme_of(ThemeName name);

}  // namespace headscope
