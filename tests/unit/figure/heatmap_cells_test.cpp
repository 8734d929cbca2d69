#include <cmath>
#include <limits>

#include "core/figure/heatmap.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

using test::uniform_measure;

struct Map {
  OwnedMatrix matrix;
  HeatmapSpec spec;
  HeatmapLayout layout;
};

/// A map of any size, or a part of one, with some hidden and some missing numbers.
Map random_map(std::mt19937& generator) {
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(generator);
  };
  Map map;
  const bool is_signed = between(0, 1) == 0;
  map.matrix =
      test::random_matrix(between(1, 700), between(1, 700), generator, is_signed ? -1.0F : 0.0F, 1.0F);
  for (float& value : map.matrix.values) {
    const int luck = between(0, 19);
    if (luck == 0) value = -std::numeric_limits<float>::infinity();
    if (luck == 1) value = std::numeric_limits<float>::quiet_NaN();
  }
  PictureOptions options;
  options.range = between(0, 1) == 0 ? RangeMode::row : RangeMode::map;
  map.spec.source = source_of(map.matrix.view());
  map.spec.scale = ColorScale(options, is_signed, map.matrix.view());
  map.spec.numbers = false;
  if (between(0, 1) == 0) {
    map.spec.window = {between(0, map.matrix.rows - 1), between(0, map.matrix.cols - 1), between(1, 700),
                       between(1, 700)};
  }
  const float side = static_cast<float>(between(200, 400));
  map.layout = layout_heatmap(map.spec, {0, 0, side, side}, uniform_measure());
  return map;
}

/// The strength of a cell's colour is its distance from the colour of 0.
float strength_of(const ColorScale& scale, float share) {
  return scale.is_signed() ? std::abs(share - 0.5F) : share;
}

/// The greatest strength among the cells behind a pixel, found cell by cell. −1 if none of them has a colour.
float strongest_of(const Map& map, const Image& image, int x, int y) {
  const HeatmapLayout& at = map.layout;
  float strongest = -1.0F;
  for (int row = y * at.n_rows / image.height; row < (y + 1) * at.n_rows / image.height; ++row) {
    for (int col = x * at.n_cols / image.width; col < (x + 1) * at.n_cols / image.width; ++col) {
      const float value = map.matrix.at(at.first_row + row, at.first_col + col);
      const auto share = map.spec.scale.share(value, at.first_row + row);
      if (share) strongest = std::max(strongest, strength_of(map.spec.scale, *share));
    }
  }
  return strongest;
}

/// Whether a pixel has the colour of this strength, on either side of 0.
bool has_strength(const ColorScale& scale, Color pixel, float strength) {
  if (strength < 0.0F) return pixel.a == 0;
  if (!scale.is_signed()) return pixel == scale.color_at(strength);
  return pixel == scale.color_at(0.5F + strength) || pixel == scale.color_at(0.5F - strength);
}

TEST(HeatmapCells, EachPixelShowsTheStrongestOfItsCells) {
  std::mt19937 generator(31);
  int n_pooled = 0;
  for (int round = 0; round < 60; ++round) {
    const Map map = random_map(generator);
    const auto cells = read_cells(map.spec, map.layout);
    if (!map.layout.raster) continue;
    n_pooled += map.layout.pooled ? 1 : 0;
    const Image& image = *cells->image;
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        const auto at =
            static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x);
        const float strength = strongest_of(map, image, x, y);
        ASSERT_TRUE(has_strength(map.spec.scale, image.pixels[at], strength)) << x << ", " << y;
      }
    }
  }
  EXPECT_GT(n_pooled, 10);
}

TEST(HeatmapCells, SayWhatIsNotFinite) {
  std::mt19937 generator(32);
  for (int round = 0; round < 60; ++round) {
    const Map map = random_map(generator);
    const auto cells = read_cells(map.spec, map.layout);
    bool infinite = false;
    bool missing = false;
    for (int row = map.layout.first_row; row < map.layout.first_row + map.layout.n_rows; ++row) {
      for (int col = map.layout.first_col; col < map.layout.first_col + map.layout.n_cols; ++col) {
        infinite = infinite || std::isinf(map.matrix.at(row, col));
        missing = missing || std::isnan(map.matrix.at(row, col));
      }
    }
    EXPECT_EQ(cells->has_infinite, infinite);
    EXPECT_EQ(cells->has_nan, missing);
  }
}

TEST(HeatmapCells, StopAndAreEmptyWhereThereIsNothing) {
  std::mt19937 generator(33);
  const OwnedMatrix matrix = test::random_matrix(900, 900, generator, 0.0F, 1.0F);
  HeatmapSpec spec;
  EXPECT_EQ(read_cells(spec, {})->image, nullptr);
  spec.source = source_of(matrix.view());
  const HeatmapLayout layout = layout_heatmap(spec, {0, 0, 300, 300}, uniform_measure());
  const std::atomic<bool> stop{true};
  EXPECT_EQ(read_cells(spec, layout, &stop), nullptr);
}

}  // namespace
}  // namespace headscope
