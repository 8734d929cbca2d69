#pragma once

#include <array>
#include <vector>

#include "core/figure/figure.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// 256 colours from the lowest to the highest value.
using ColorMap = std::array<Color, 256>;

/// The colours of a map. Headscope's own maps depend on the theme, so that values near zero recede into the
/// background. Published maps do not.
const ColorMap& color_map(SequentialMap map, ThemeName theme);
const ColorMap& color_map(DivergingMap map, ThemeName theme);

/// The colour at a position, clamped to 0 … 1.
Color sample(const ColorMap& map, float share);

/// A linear mixture in sRGB. A `share` of 0 gives `from`, 1 gives `to`.
Color mixed(Color from, Color to, float share);

/// The colour with another opacity, from 0 to 1.
Color with_opacity(Color color, float opacity);

/// The dark or the light text colour, whichever is easier to read on this background.
Color readable_on(Color ground);

/// A colour in OKLab, a space in which equal distances look equally large.
struct Oklab {
  double l = 0.0, a = 0.0, b = 0.0;
};

/// See Björn Ottosson, "A perceptual colour space for image processing", 2020.
Oklab to_oklab(Color color);

double distance(const Oklab& a, const Oklab& b);
Oklab mixed(const Oklab& from, const Oklab& to, double share);

/// Returns n distinguishable colours, ordered by hue: equidistant hues in OKLCH (Ottosson 2020), alternately
/// darker and lighter, each with the maximum chroma of its hue in sRGB up to a common limit. All stand out
/// from the background of the theme.
std::vector<Color> distinct_colors(int n, ThemeName theme);

}  // namespace headscope
