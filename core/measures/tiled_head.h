#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/slices.h"
#include "core/tensor/view.h"
#include "core/trace/trace.h"

namespace headscope {

/// The sizes of one head's attention.
struct AttentionSizes {
  std::int64_t queries = 0;  ///< T.
  std::int64_t keys = 0;     ///< S.
  std::int64_t width = 0;    ///< K, the width of queries and keys.
  std::int64_t value_width = 0;
};

/// Counts the numbers that one head's attention reads from and writes to the large memory if none of them is
/// kept near the processor between steps.
struct Traffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t total() const { return read + written; }
};

/// Counts the plain way, which computes scores, softmax and output one after the other, writing and reading
/// again the maps of scores and weights (algorithm 0 of FlashAttention, Dao et al. 2022).
Traffic plain_traffic(const AttentionSizes& sizes);

/// Counts tiled attention, which processes one block of queries after the other (algorithm 1 of
/// FlashAttention-2, Dao 2023). Queries are read once, keys and values once for every tile that is not
/// hidden; the output and one number for each query (m + ln l) are written once.
/// \param keys_taken_in the number of keys of all tiles that are not hidden, counted once for each tile
Traffic tiled_traffic(const AttentionSizes& sizes, std::int64_t keys_taken_in);

/// Counts the numbers that a tile keeps near the processor: its queries, keys, values, scores, O, m and l.
std::int64_t kept_by_tile(const AttentionSizes& sizes, std::int64_t tile_queries, std::int64_t tile_keys);

inline constexpr double no_sink_score = -std::numeric_limits<double>::infinity();

/// The state of a block of R queries while their scores are processed tile by tile. This is algorithm 1 of
/// FlashAttention-2 (Dao 2023), with the online softmax of Milakov and Gimelshein 2018, in double precision.
struct OnlineSoftmax {
  std::vector<double> maximum;  ///< m [R], the greatest score so far. −∞ before any.
  std::vector<double> sum;      ///< l [R] = Σ exp(score − m) over the keys so far.
  /// [R] exp(m before − m now), the factor that the last tile applied to l and O.
  std::vector<double> rescaled;
  std::vector<double> output;  ///< O [R, V], row-major: Σ exp(score − m) · value. The output is O / l.
  int width = 0;               ///< V.

  int rows() const { return static_cast<int>(sum.size()); }
  /// Returns O / l for a query and a dimension, or 0 if all keys so far are hidden.
  double normalised(int row, int dimension) const;
};

/// Returns the state before the first tile. `sink` is a score without a value, with which m and l begin; −∞
/// means none.
OnlineSoftmax nothing_seen(int rows, int width, double sink = no_sink_score);

/// Adds a tile to the state.
/// \param scores [R, keys of the tile] The scores after scale and mask. −∞ hides a key; +∞ is not allowed.
/// \param values [keys of the tile, V]
void take_in(OnlineSoftmax& kept, MatrixView scores, MatrixView values);

/// Computes the same output in one step: the softmax of the whole rows, with their true maximum, times the
/// values, in double precision. Returns [R, V], row-major. A row that sees nothing is 0.
std::vector<double> attended_at_once(MatrixView scores, MatrixView values, double sink = no_sink_score);

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

/// The tiles of a head by their number alone: what is hidden in them is not known.
ScoreTiles unread_tiles(const TiledHead& head);

/// Finds the tiles of a head. The pass must have the scores and a softmax over keys. A slice is a row of
/// tiles.
Slices<ScoreTiles> score_tiles(TiledHead head);

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
