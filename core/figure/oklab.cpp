#include "core/figure/oklab.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

double to_linear(std::uint8_t channel) {
  const double v = channel / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

std::uint8_t from_linear(double v) {
  const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1.0 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(std::clamp(encoded, 0.0, 1.0) * 255.0));
}

}  // namespace

Oklab to_oklab(Color color) {
  const double r = to_linear(color.r);
  const double g = to_linear(color.g);
  const double b = to_linear(color.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Color to_srgb(const Oklab& color) {
  const double l = std::pow(color.l + 0.3963377774 * color.a + 0.2158037573 * color.b, 3.0);
  const double m = std::pow(color.l - 0.1055613458 * color.a - 0.0638541728 * color.b, 3.0);
  const double s = std::pow(color.l - 0.0894841775 * color.a - 1.2914855480 * color.b, 3.0);
  return {from_linear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          from_linear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          from_linear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

double distance(const Oklab& a, const Oklab& b) {
  return std::hypot(a.l - b.l, a.a - b.a, a.b - b.b);
}

Oklab mixed(const Oklab& from, const Oklab& to, double share) {
  return {std::lerp(from.l, to.l, share), std::lerp(from.a, to.a, share), std::lerp(from.b, to.b, share)};
}

double luminance(Color color) {
  return 0.2126 * to_linear(color.r) + 0.7152 * to_linear(color.g) + 0.0722 * to_linear(color.b);
}

}  // namespace headscope
