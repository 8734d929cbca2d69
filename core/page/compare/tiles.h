#pragma once

namespace headscope {

/// The gap between two tiles, and below each.
inline constexpr float between_tiles = 16.0F;

/// A grid of equal tiles with maps.
struct Tiles {
  int n = 1, columns = 1;
  float width = 0.0F,
        /// The size of a tile's map with its labels and colour bar. The caption lies above it.
      height = 0.0F;
};

/// Chooses the number of columns that makes the maps of `n` tiles largest. The grid may be higher than the
/// room if that is too small. `caption` is the height of the text above each map.
Tiles tiles_of(int n, float width, float height, float caption = 24.0F);

}  // namespace headscope
