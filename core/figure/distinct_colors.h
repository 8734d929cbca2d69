#pragma once

#include <vector>

#include "core/figure/figure.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// Returns n distinguishable colours, ordered by hue. The hues have equal distances in OKLCH (Ottosson 2020)
/// and alternate between a darker and a lighter colour. Each colour has the greatest chroma that its hue can
/// have in sRGB, up to a common limit. All stand out from the background of the theme.
std::vector<Color> distinct_colors(int n, ThemeName theme);

}  // namespace headscope
