#pragma once

namespace headscope {

/// The tiles into which the scores of a head are cut, and how far their softmax has come.
struct TilesOptions {
  int queries = 4;  ///< rows of a tile
  int keys = 4;     ///< its columns
  int step = 1;     ///< tiles that were taken in, counted from 1; beyond the last: all
  bool operator==(const TilesOptions&) const = default;
};

inline constexpr int max_tile_side = 1024;
inline constexpr int max_tile_step = 1 << 26;

}  // namespace headscope
