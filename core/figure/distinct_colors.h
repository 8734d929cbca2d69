#pragma once

#include <vector>

#include "core/figure/figure.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// n colours to tell things apart by, in the order of the hue: equal steps around OKLCH (Ottosson 2020) with
/// lightness in turns darker and lighter, each as colourful as its hue can be in sRGB up to a common chroma.
/// All stand out from the theme's ground.
std::vector<Color> distinct_colors(int n, ThemeName theme);

}  // namespace headscope
