#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/measures/online_softmax.h"
#include "core/trace/trace.h"

namespace headscope {

/// Returns the sink of the head that a stage belongs to, or no_sink_score if it has none.
double sink_score(const Trace& trace, StageId head);

/// The scores of a head and the size of the tiles into which they are divided.
struct TiledHead {
  std::shared_ptr<const Trace> trace;
  StageId scores;   ///< The masked scores [T, S].
  int queries = 1;  ///< The number of queries in a tile, ≥ 1. The last tiles of a map may have fewer.
  int keys = 1;     ///< The number of keys in a tile, ≥ 1. The last tiles may have fewer.
  bool operator==(const TiledHead&) const = default;
};

/// The tiles of a head, stored row by row.
struct ScoreTiles {
  Extent extent;  ///< T and S.
  int rows = 0;   ///< The number of rows of tiles.
  int cols = 0;
  int n_hidden = 0;  ///< The number of hidden tiles.
  /// For each tile, true if the mask hides all of it, in which case it is skipped.
  std::vector<bool> hidden;
  std::int64_t keys_taken_in = 0;  ///< The keys of all tiles that are not hidden, counted once for each tile.

  int n_tiles() const { return rows * cols; }
};

/// The position of a tile in the map.
struct TilePlace {
  int first_query = 0, n_queries = 0;
  int first_key = 0, n_keys = 0;
};
/// \param tile 0 … n_tiles − 1
TilePlace place_of_tile(const TiledHead& head, const ScoreTiles& grid, int tile);

/// Finds the tiles of a head. The pass must have the scores and a softmax over keys. If `stop` becomes true,
/// the function returns early and its result is meaningless.
ScoreTiles score_tiles(const TiledHead& head, const std::atomic<bool>* stop = nullptr);

/// The state after a tile and all tiles to its left have been processed.
struct TileState {
  OnlineSoftmax kept;
  /// [rows of the tile, V], row-major: the output for the same queries, computed by softmax over whole rows.
  std::vector<double> at_once;
};
/// \param grid Only its sizes are used, not which tiles are hidden.
TileState tile_state(const TiledHead& head, const ScoreTiles& grid, int tile);

/// A request for one tile of a head.
struct TileOfHead {
  TiledHead head;
  int tile = 0;
  bool operator==(const TileOfHead&) const = default;
};

/// Returns the greatest absolute difference between O / l and `at_once`.
double difference_from_softmax(const TileState& state);

}  // namespace headscope
