#pragma once

namespace headscope {

/// The tiles into which the scores of a head are divided, and how far their softmax has advanced.
struct TilesOptions {
  int queries = 4;  ///< The number of queries in a tile.
  int keys = 4;     ///< The number of keys in a tile.
  /// The number of processed tiles. Values beyond the last tile mean all.
  int step = 1;
  bool operator==(const TilesOptions&) const = default;
};

inline constexpr int max_tile_side = 1024;
inline constexpr int max_tile_step = 1 << 26;

}  // namespace headscope
