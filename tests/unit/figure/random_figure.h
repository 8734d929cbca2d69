#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "core/figure/figure.h"

namespace headscope::test {

/// Draws items of every kind with ordinary, tiny, huge, negative or NaN numbers.
class FigureMaker {
 public:
  explicit FigureMaker(std::mt19937& generator) : generator_(generator) {}

  Item item() {
    switch (whole(0, 9)) {
      case 0:
        return FilledRect{box(), color(), number()};
      case 1:
        return StrokedRect{box(), color(), number(), number()};
      case 2:
        return Line{point(), point(), color(), number()};
      case 3:
        return Curve{point(), point(), point(), point(), color(), number()};
      case 4:
        return Label{whole(0, 5) == 0 ? "" : "label",
                     point(),
                     color(),
                     number(),
                     static_cast<Font>(whole(0, 2)),
                     static_cast<HorizontalAnchor>(whole(0, 2)),
                     static_cast<VerticalAnchor>(whole(0, 2)),
                     number()};
      case 5:
        return Raster{image(), box()};
      case 6:
        return Hatch{box(), color(), number()};
      case 7:
        return ClipBegin{box()};
      case 8:
        return Ribbon{point(), number(), point(), number(), color()};
      default:
        return ClipEnd{};
    }
  }

  /// Mostly a number as in real figures.
  float number() {
    constexpr float none = std::numeric_limits<float>::quiet_NaN();
    constexpr float endless = std::numeric_limits<float>::infinity();
    constexpr std::array odd{0.0F,  -0.0F, 1e-40F, 1e-30F, 1e-8F,   1e-6F,    1e-4F,   0.01F, -1e-8F,
                             -3.0F, 1e5F,  1e8F,   1e30F,  endless, -endless, 3.4e38F, none};
    if (whole(0, 2) == 0) return odd[static_cast<std::size_t>(whole(0, static_cast<int>(odd.size()) - 1))];
    return std::uniform_real_distribution<float>(0.0F, 200.0F)(generator_);
  }

 private:
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  Point point() { return {number(), number()}; }
  Box box() { return {number(), number(), number(), number()}; }
  Color color() { return {static_cast<std::uint8_t>(whole(0, 255)), 90, 20, 255}; }
  std::shared_ptr<const Image> image() {
    if (whole(0, 3) == 0) return nullptr;
    const int width = whole(-1, 3);
    const int height = whole(0, 3);
    const int n_pixels = whole(0, 3) == 0 ? 1 : std::max(0, width * height);
    return std::make_shared<Image>(
        Image{width, height, std::vector<Color>(static_cast<std::size_t>(n_pixels))});
  }

  std::mt19937& generator_;
};

inline Figure random_figure(std::mt19937& generator, int n_items = 20) {
  FigureMaker maker(generator);
  Figure figure{maker.number(), maker.number(), {255, 255, 255}, {}};
  for (int i = 0; i < n_items; ++i) figure.items.push_back(maker.item());
  return figure;
}

}  // namespace headscope::test
