#pragma once

namespace headscope {

/// Between two tiles, and below each.
inline constexpr float between_tiles = 16.0F;

/// Equal tiles of maps on a page.
struct Tiles {
  int n = 1, columns = 1;
  float width = 0.0F, height = 0.0F;  ///< of a tile's map with labels and colour bar; its caption comes above
};

/// As many columns as make the maps of `n` tiles largest. Where the room is too small, the tiles are higher
/// than it. `caption`: height of what stands above each map.
Tiles tiles_of(int n, float width, float height, float caption = 24.0F);

}  // namespace headscope
