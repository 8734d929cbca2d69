#include "core/page/compare/tiles.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

/// The smallest tile with a map, its labels and its colour bar. More tiles make the page higher.
constexpr float least_tile_width = 200.0F;
constexpr float least_tile_height = 150.0F;
constexpr float beside_map = 90.0F;  ///< Approximate width of the colour bar.

/// The number of columns that makes the maps largest.
int best_columns(int n, float width, float height, float caption) {
  int best = 1;
  float largest = 0.0F;
  const int most =
      std::clamp(static_cast<int>((width + between_tiles) / (least_tile_width + between_tiles)), 1, n);
  for (int columns = 1; columns <= most; ++columns) {
    const int rows = (n + columns - 1) / columns;
    const float tile =
        (width - between_tiles * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float side =
        std::min(tile - beside_map, height / static_cast<float>(rows) - caption - between_tiles);
    if (side > largest) {
      largest = side;
      best = columns;
    }
  }
  return best;
}

}  // namespace

Tiles tiles_of(int n, float width, float height, float caption) {
  Tiles tiles{n, best_columns(n, width, height, caption)};
  const int rows = (n + tiles.columns - 1) / tiles.columns;
  tiles.width = std::floor((width - between_tiles * static_cast<float>(tiles.columns - 1)) /
                           static_cast<float>(tiles.columns));
  // A low room is too small for all tiles anyway, so they may be higher.
  const float least = height < 1.5F * least_tile_height ? 1.5F * least_tile_height : least_tile_height;
  tiles.height = std::max(std::floor(height / static_cast<float>(rows) - caption - between_tiles), least);
  return tiles;
}

}  // namespace headscope
