#include "core/figure/colormap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace headscope {
namespace {

constexpr std::array themes{ThemeName::light, ThemeName::dark};
constexpr std::array sequential{SequentialMap::headscope, SequentialMap::viridis, SequentialMap::cividis,
                                SequentialMap::grays};
constexpr std::array diverging{DivergingMap::headscope, DivergingMap::blue_orange,
                               DivergingMap::purple_green};

/// L* of CIELAB for D65, from 0 (black) to 100 (white).
float lightness(Color color) {
  const auto linear = [](std::uint8_t channel) {
    const double v = channel / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const double y = 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
  const double f = y > 216.0 / 24389.0 ? std::cbrt(y) : (24389.0 / 27.0 * y + 16.0) / 116.0;
  return static_cast<float>(116.0 * f - 16.0);
}

TEST(Colormap, SequentialMapsAreMonotoneInLightness) {
  for (const ThemeName theme : themes) {
    for (const SequentialMap name : sequential) {
      const ColorMap& map = color_map(name, theme);
      const bool rises = lightness(map.back()) > lightness(map.front());
      for (std::size_t i = 1; i < map.size(); ++i) {
        const float step = lightness(map[i]) - lightness(map[i - 1]);
        // Rounding to 8 bits moves a colour by up to half a level.
        EXPECT_GE(rises ? step : -step, -0.35F) << static_cast<int>(name) << " at " << i;
      }
      EXPECT_GT(std::abs(lightness(map.back()) - lightness(map.front())), 60.0F) << static_cast<int>(name);
    }
  }
}

TEST(Colormap, DivergingMapsAreMonotoneInLightnessFromTheMiddle) {
  for (const ThemeName theme : themes) {
    for (const DivergingMap name : diverging) {
      const ColorMap& map = color_map(name, theme);
      const bool darkens = lightness(map[128]) > lightness(map[255]);
      for (std::size_t i = 1; i < 128; ++i) {
        const float right = lightness(map[128 + i]) - lightness(map[127 + i]);
        const float left = lightness(map[127 - i]) - lightness(map[128 - i]);
        EXPECT_LE(darkens ? right : -right, 0.35F) << static_cast<int>(name) << " at +" << i;
        EXPECT_LE(darkens ? left : -left, 0.35F) << static_cast<int>(name) << " at -" << i;
      }
    }
  }
}

TEST(Colormap, OwnMapsStartAndEndAtTheDesignedColours) {
  const ColorMap& light = color_map(SequentialMap::headscope, ThemeName::light);
  EXPECT_EQ(light.front(), (Color{0xf3, 0xf5, 0xf8}));
  EXPECT_EQ(light.back(), (Color{0x1c, 0x2f, 0x66}));
  const ColorMap& dark = color_map(SequentialMap::headscope, ThemeName::dark);
  EXPECT_EQ(dark.front(), (Color{0x1f, 0x25, 0x30}));
  EXPECT_EQ(dark.back(), (Color{0xfb, 0xe9, 0x6a}));
  const ColorMap& signed_light = color_map(DivergingMap::headscope, ThemeName::light);
  EXPECT_EQ(signed_light.front(), (Color{0xb3, 0x58, 0x06}));
  EXPECT_EQ(signed_light[127], (Color{0xf6, 0xf7, 0xf9}));
  EXPECT_EQ(signed_light[128], (Color{0xf6, 0xf7, 0xf9}));
  EXPECT_EQ(signed_light.back(), (Color{0x24, 0x58, 0x9c}));
}

TEST(Colormap, SamplesBetweenTheAnchorsMatchThePublishedViridis) {
  // matplotlib's _viridis_data[128] and [64]; neither is one of the anchors.
  const Color middle = color_map(SequentialMap::viridis, ThemeName::light)[128];
  EXPECT_NEAR(middle.r, 0.127568 * 255, 2.0);
  EXPECT_NEAR(middle.g, 0.566949 * 255, 2.0);
  EXPECT_NEAR(middle.b, 0.550556 * 255, 2.0);
  const Color quarter = color_map(SequentialMap::viridis, ThemeName::light)[64];
  EXPECT_NEAR(quarter.r, 0.229739 * 255, 2.0);
  EXPECT_NEAR(quarter.g, 0.322361 * 255, 2.0);
  EXPECT_NEAR(quarter.b, 0.545706 * 255, 2.0);
}

TEST(Colormap, LightnessOfKnownColours) {
  EXPECT_NEAR(lightness({0, 0, 0}), 0.0F, 1e-4F);
  EXPECT_NEAR(lightness({255, 255, 255}), 100.0F, 1e-3F);
  EXPECT_NEAR(lightness({119, 119, 119}), 50.0F, 0.5F);
}

TEST(Colormap, TextOnAnyColourIsReadable) {
  const auto contrast = [](Color a, Color b) {
    const auto y = [](Color c) {
      const double f = (static_cast<double>(lightness(c)) + 16.0) / 116.0;
      return lightness(c) > 8.0F ? f * f * f : static_cast<double>(lightness(c)) / 903.3;
    };
    return (std::max(y(a), y(b)) + 0.05) / (std::min(y(a), y(b)) + 0.05);
  };
  for (const ThemeName theme : themes) {
    for (const SequentialMap name : sequential) {
      for (const Color color : color_map(name, theme)) EXPECT_GE(contrast(color, readable_on(color)), 4.5);
    }
  }
}

TEST(Colormap, SharesOutsideAreClamped) {
  const ColorMap& map = color_map(SequentialMap::viridis, ThemeName::light);
  EXPECT_EQ(sample(map, -3.0F), map.front());
  EXPECT_EQ(sample(map, 7.0F), map.back());
}

}  // namespace
}  // namespace headscope
