#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/measures/online_softmax.h"
#include "core/trace/trace.h"

namespace headscope {

/// The sink of the head that a stage belongs to; no_sink_score where it has none.
double sink_score(const Trace& trace, StageId head);

/// The scores of a head, cut into tiles.
struct TiledHead {
  std::shared_ptr<const Trace> trace;
  StageId scores;   ///< masked [T, S]
  int queries = 1;  ///< rows of a tile, ≥ 1; the last ones of a map may be smaller
  int keys = 1;     ///< its columns
  bool operator==(const TiledHead&) const = default;
};

/// Tiles of a head, row of tiles by row of tiles.
struct ScoreTiles {
  Extent extent;  ///< T, S
  int rows = 0;   ///< of tiles
  int cols = 0;
  int n_hidden = 0;                ///< of them
  std::vector<bool> hidden;        ///< each tile: the mask hides all of it, so that it is left out
  std::int64_t keys_taken_in = 0;  ///< of all tiles that are not hidden

  int n_tiles() const { return rows * cols; }
};

/// A tile's place in the map.
struct TilePlace {
  int first_query = 0, n_queries = 0;
  int first_key = 0, n_keys = 0;
};
/// \param tile 0 … n_tiles − 1
TilePlace place_of_tile(const TiledHead& head, const ScoreTiles& grid, int tile);

/// Its tiles; `stop`, where it is given, ends it early, and what is there then means nothing. The pass must
/// have the scores, and a softmax over keys.
ScoreTiles score_tiles(const TiledHead& head, const std::atomic<bool>* stop = nullptr);

/// What is known once a tile was taken in, and all tiles left of it.
struct TileState {
  OnlineSoftmax kept;
  std::vector<double> at_once;  ///< [rows of the tile, V], row-major: the output of the same queries by
                                ///< softmax over whole rows
};
/// \param grid its sizes count; which tiles are hidden does not
TileState tile_state(const TiledHead& head, const ScoreTiles& grid, int tile);

/// A tile of a head, as what is asked for.
struct TileOfHead {
  TiledHead head;
  int tile = 0;
  bool operator==(const TileOfHead&) const = default;
};

/// The greatest difference between O / l and `at_once`.
double difference_from_softmax(const TileState& state);

}  // namespace headscope
