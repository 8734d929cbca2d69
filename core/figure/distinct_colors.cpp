#include "core/figure/distinct_colors.h"

#include <cmath>
#include <numbers>

#include "core/figure/oklab.h"

namespace headscope {
namespace {

/// Whether the colour survives the conversion to sRGB. Outside of the gamut, a channel is clipped.
bool is_in_srgb(const Oklab& color) {
  constexpr double rounding = 0.01;
  return distance(to_oklab(to_srgb(color)), color) < rounding;
}

}  // namespace

std::vector<Color> distinct_colors(int n, ThemeName theme) {
  constexpr double first_hue = 0.70;  // Orange, in radians.
  constexpr double most_chroma = 0.17;
  constexpr double less = 0.005;
  const bool is_dark = theme == ThemeName::dark;
  std::vector<Color> colors;
  colors.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const double hue = first_hue + 2.0 * std::numbers::pi * i / n;
    const bool is_lighter = i % 2 == 1;
    const double lightness = is_dark ? (is_lighter ? 0.82 : 0.68) : (is_lighter ? 0.66 : 0.50);
    double chroma = most_chroma;
    Oklab color{lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
    while (chroma > less && !is_in_srgb(color)) {
      chroma -= less;
      color = {lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
    }
    colors.push_back(to_srgb(color));
  }
  return colors;
}

}  // namespace headscope
