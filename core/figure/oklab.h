#pragma once

#include "core/figure/figure.h"

namespace headscope {

/// A colour in OKLab, a space in which equal distances look equally large.
struct Oklab {
  double l = 0.0, a = 0.0, b = 0.0;
};

/// See Björn Ottosson, "A perceptual colour space for image processing", 2020.
Oklab to_oklab(Color color);
/// The opaque colour, rounded to 8 bits and clamped to sRGB.
Color to_srgb(const Oklab& color);

double distance(const Oklab& a, const Oklab& b);
Oklab mixed(const Oklab& from, const Oklab& to, double share);

/// Relative luminance of an sRGB colour, from 0 to 1 (IEC 61966-2-1).
double luminance(Color color);

}  // namespace headscope
