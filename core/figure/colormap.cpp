#include "core/figure/colormap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "core/enum_count.h"

namespace headscope {
namespace {

using Stops = std::span<const std::uint32_t>;

constexpr std::array<std::uint32_t, 6> headscope_light{0xf3f5f8, 0xcfe3ea, 0x8fc6cf,
                                                       0x4a9db5, 0x2b6a99, 0x1c2f66};
constexpr std::array<std::uint32_t, 6> headscope_dark{0x1f2530, 0x21436b, 0x1f6f8b,
                                                      0x2aa58a, 0x8fce62, 0xfbe96a};
constexpr std::array<std::uint32_t, 5> headscope_diverging_light{0xb35806, 0xf1b87a, 0xf6f7f9, 0x8fb8dd,
                                                                 0x24589c};
constexpr std::array<std::uint32_t, 5> headscope_diverging_dark{0xe08a4a, 0x8a5a3a, 0x20242c, 0x2f5f8f,
                                                                0x6fb3f2};
// Every 17th of the 256 colours that matplotlib publishes (lib/matplotlib/_cm_listed.py). viridis: Stéfan van
// der Walt and Nathaniel Smith, 2015, CC0. cividis: Nuñez, Anderton, Renslow, PLoS ONE 13(7), 2018.
constexpr std::array<std::uint32_t, 16> viridis{0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e,
                                                0x2a788e, 0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568,
                                                0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725};
constexpr std::array<std::uint32_t, 16> cividis{0x00224e, 0x002e6c, 0x1e3a6f, 0x35456c, 0x47516c, 0x575d6d,
                                                0x666970, 0x757575, 0x848279, 0x948e77, 0xa59c74, 0xb7a96e,
                                                0xc8b866, 0xdbc75a, 0xeed649, 0xfee838};
constexpr std::array<std::uint32_t, 2> grays_light{0xfafafa, 0x111111};
constexpr std::array<std::uint32_t, 2> grays_dark{0x1c1e22, 0xf5f5f5};
// ColorBrewer 2.0 (Cynthia Brewer, colorbrewer2.org): the blue half of RdBu with the orange half of PuOr, and
// PRGn.
constexpr std::array<std::uint32_t, 11> blue_orange{0x053061, 0x2166ac, 0x4393c3, 0x92c5de,
                                                    0xd1e5f0, 0xf7f7f7, 0xfee0b6, 0xfdb863,
                                                    0xe08214, 0xb35806, 0x7f3b08};
constexpr std::array<std::uint32_t, 11> purple_green{0x40004b, 0x762a83, 0x9970ab, 0xc2a5cf,
                                                     0xe7d4e8, 0xf7f7f7, 0xd9f0d3, 0xa6dba0,
                                                     0x5aae61, 0x1b7837, 0x00441b};

Color color_of(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16U), static_cast<std::uint8_t>((rgb >> 8U) & 0xffU),
          static_cast<std::uint8_t>(rgb & 0xffU)};
}

double to_linear(std::uint8_t channel) {
  const double v = channel / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

std::uint8_t from_linear(double v) {
  const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1.0 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(std::clamp(encoded, 0.0, 1.0) * 255.0));
}

/// The opaque colour, rounded to 8 bits and clamped to sRGB.
Color to_srgb(const Oklab& color) {
  const double l = std::pow(color.l + 0.3963377774 * color.a + 0.2158037573 * color.b, 3.0);
  const double m = std::pow(color.l - 0.1055613458 * color.a - 0.0638541728 * color.b, 3.0);
  const double s = std::pow(color.l - 0.0894841775 * color.a - 1.2914855480 * color.b, 3.0);
  return {from_linear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          from_linear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          from_linear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/// Relative luminance of an sRGB colour, from 0 to 1 (IEC 61966-2-1).
double luminance(Color color) {
  return 0.2126 * to_linear(color.r) + 0.7152 * to_linear(color.g) + 0.0722 * to_linear(color.b);
}

/// Fills `out` with the stops at their positions, which rise from 0 to 1, and mixes the colours between them
/// in OKLab.
void fill(Stops stops, std::span<const double> places, std::span<Color> out) {
  std::size_t upper = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(out.size() - 1);
    while (upper + 1 < stops.size() && places[upper] < place) ++upper;
    const double width = places[upper] - places[upper - 1];
    const double share = std::clamp((place - places[upper - 1]) / width, 0.0, 1.0);
    out[i] = to_srgb(mixed(to_oklab(color_of(stops[upper - 1])), to_oklab(color_of(stops[upper])), share));
  }
}

/// Published maps are already uniform, so their samples are placed at equal distances.
ColorMap evenly(Stops stops) {
  std::vector<double> places(stops.size());
  for (std::size_t i = 0; i < stops.size(); ++i) {
    places[i] = static_cast<double>(i) / static_cast<double>(stops.size() - 1);
  }
  ColorMap map;
  fill(stops, places, map);
  return map;
}

/// Places the stops by their distances in OKLab, so that equal steps of the value look equally large.
void fill_uniformly(Stops stops, std::span<Color> out) {
  std::vector<double> places(stops.size(), 0.0);
  for (std::size_t i = 1; i < stops.size(); ++i) {
    places[i] = places[i - 1] + distance(to_oklab(color_of(stops[i - 1])), to_oklab(color_of(stops[i])));
  }
  const double length = places.back();
  for (double& place : places) place /= length;
  fill(stops, places, out);
}

ColorMap uniformly(Stops stops) {
  ColorMap map;
  fill_uniformly(stops, map);
  return map;
}

/// Fills the two halves separately, so that the middle stop is the colour of zero.
ColorMap in_two_halves(Stops stops) {
  const std::size_t middle = stops.size() / 2;
  ColorMap map;
  fill_uniformly(stops.first(middle + 1), std::span<Color>(map).first(128));
  fill_uniformly(stops.subspan(middle), std::span<Color>(map).last(128));
  return map;
}

/// Whether the colour survives the conversion to sRGB. Outside of the gamut, a channel is clipped.
bool is_in_srgb(const Oklab& color) {
  constexpr double rounding = 0.01;
  return distance(to_oklab(to_srgb(color)), color) < rounding;
}

}  // namespace

const ColorMap& color_map(SequentialMap map, ThemeName theme) {
  static const auto maps = make_enum_table<SequentialMap, std::array<ColorMap, enum_count<ThemeName>>>(
      std::array{uniformly(headscope_light), uniformly(headscope_dark)},
      std::array{evenly(viridis), evenly(viridis)}, std::array{evenly(cividis), evenly(cividis)},
      std::array{uniformly(grays_light), uniformly(grays_dark)});
  return maps[index_of(map)][index_of(theme)];
}

const ColorMap& color_map(DivergingMap map, ThemeName theme) {
  static const auto maps = make_enum_table<DivergingMap, std::array<ColorMap, enum_count<ThemeName>>>(
      std::array{in_two_halves(headscope_diverging_light), in_two_halves(headscope_diverging_dark)},
      std::array{in_two_halves(blue_orange), in_two_halves(blue_orange)},
      std::array{in_two_halves(purple_green), in_two_halves(purple_green)});
  return maps[index_of(map)][index_of(theme)];
}

Color sample(const ColorMap& map, float share) {
  const float place = std::clamp(share, 0.0F, 1.0F) * 255.0F;
  return map[static_cast<std::size_t>(std::lround(place))];
}

Color mixed(Color from, Color to, float share) {
  const auto channel = [share](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(
        std::lround(std::lerp(static_cast<float>(a), static_cast<float>(b), share)));
  };
  return {channel(from.r, to.r), channel(from.g, to.g), channel(from.b, to.b), channel(from.a, to.a)};
}

Color with_opacity(Color color, float opacity) {
  color.a = static_cast<std::uint8_t>(std::lround(std::clamp(opacity, 0.0F, 1.0F) * 255.0F));
  return color;
}

Color readable_on(Color ground) {
  // At a luminance of 0.179, black and white have the same contrast of 4.58 according to WCAG. On every other
  // background, the better one has more.
  constexpr double even = 0.179;
  constexpr double light =
      0.4;  // On lighter backgrounds, the softer text colour of the window has more than enough contrast.
  if (luminance(ground) > light) return {27, 31, 39};
  return luminance(ground) > even ? Color{0, 0, 0} : Color{255, 255, 255};
}

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

double distance(const Oklab& a, const Oklab& b) {
  return std::hypot(a.l - b.l, a.a - b.a, a.b - b.b);
}

Oklab mixed(const Oklab& from, const Oklab& to, double share) {
  return {std::lerp(from.l, to.l, share), std::lerp(from.a, to.a, share), std::lerp(from.b, to.b, share)};
}

std::vector<Color> distinct_colors(int n, ThemeName theme) {
  constexpr double first_hue = 0.70;  // Orange, in radians.
  constexpr double max_chroma = 0.17;
  constexpr double less = 0.005;
  const bool is_dark = theme == ThemeName::dark;
  std::vector<Color> colors;
  colors.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const double hue = first_hue + 2.0 * std::numbers::pi * i / n;
    const bool is_lighter = i % 2 == 1;
    const double lightness = is_dark ? (is_lighter ? 0.82 : 0.68) : (is_lighter ? 0.66 : 0.50);
    double chroma = max_chroma;
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
