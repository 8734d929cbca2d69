#pragma once

#include "core/figure/figure.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// The colours of the window and of exported figures.
struct Theme {
  Color ground;  ///< behind the panels
  Color panel;
  Color line;  ///< quiet borders
  Color text;
  Color quiet;        ///< secondary text
  Color accent;       ///< the one accent colour
  Color accent_soft;  ///< accent as a ground (a selected token)
  Color control;      ///< ground of buttons, tracks, segments
  Color warning;      ///< text of messages that need an answer
};

const Theme& light_theme();
const Theme& dark_theme();
const Theme& theme_of(ThemeName name);

}  // namespace headscope
