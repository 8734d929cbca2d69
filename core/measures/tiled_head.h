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

/// Memory traffic of one head's attention in numbers read from and written to main memory, if nothing stays
/// in the cache between steps.
struct Traffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t total() const { return read + written; }
};

/// Standard attention: scores, softmax and output in turn, which writes and rereads the maps (algorithm 0 of
/// FlashAttention, Dao et al. 2022).
Traffic naive_traffic(const AttentionSizes& sizes);

/// Tiled attention, one block of queries after the other (algorithm 1 of FlashAttention-2, Dao 2023): reads
/// queries once, and keys and values once per visible tile; writes the output and m + ln l of each query
/// once.
/// \param n_keys_read The total number of keys of all visible tiles.
Traffic tiled_traffic(const AttentionSizes& sizes, std::int64_t n_keys_read);

/// The on-chip memory of a tile in numbers: queries, keys, values, scores, O, m and l.
std::int64_t tile_footprint(const AttentionSizes& sizes, std::int64_t tile_queries, std::int64_t tile_keys);

inline constexpr double no_sink_score = -std::numeric_limits<double>::infinity();

/// The state of a block of R queries while their scores are processed tile by tile. This is algorithm 1 of
/// FlashAttention-2 (Dao 2023), with the online softmax of Milakov and Gimelshein 2018, in double precision.
struct OnlineSoftmax {
  std::vector<double> maximum;  ///< m [R], the running maximum; initially −∞
  std::vector<double> sum;      ///< l [R] = Σ exp(score − m) over the keys so far.
  /// [R] exp(m before − m after), the factor that the last tile applied to l and O.
  std::vector<double> rescaled;
  std::vector<double> output;  ///< O [R, V], row-major: Σ exp(score − m) · value. The output is O / l.
  int width = 0;               ///< V.

  int rows() const { return static_cast<int>(sum.size()); }
  /// O / l, or 0 if all keys so far are hidden.
  double normalized_output(int row, int dimension) const;
};

/// The state before the first tile. `sink` is the score of the attention sink, which initialises m and l; −∞
/// means none.
OnlineSoftmax initial_online_softmax(int rows, int width, double sink = no_sink_score);

/// Updates the state with a tile.
/// \param scores [R, keys of the tile] The scores after scale and mask. −∞ hides a key; +∞ is not allowed.
/// \param values [keys of the tile, V]
void add_tile(OnlineSoftmax& kept, MatrixView scores, MatrixView values);

/// The reference result: the softmax of entire rows times the values, in double precision; [R, V], row-major.
/// Rows without visible keys are 0.
std::vector<double> direct_attention(MatrixView scores, MatrixView values, double sink = no_sink_score);

/// The sink score of the head of a stage, or no_sink_score.
double sink_score(const Trace& trace, StageId head);

/// The scores of a head and the tile size.
struct TiledHead {
  std::shared_ptr<const Trace> trace;
  StageId scores;   ///< The masked scores [T, S].
  int queries = 1;  ///< Queries per tile, ≥ 1; fewer in the last tiles
  int keys = 1;     ///< Keys per tile, ≥ 1; fewer in the last tiles
  bool operator==(const TiledHead&) const = default;
};

/// The tiles of a head, row-major.
struct ScoreTiles {
  Extent extent;  ///< T and S.
  int rows = 0;   ///< Rows of tiles
  int cols = 0;
  int n_hidden = 0;  ///< Number of hidden tiles
  /// For each tile, whether the mask hides all of it, so that it is skipped.
  std::vector<bool> hidden;
  std::int64_t n_keys_read = 0;  ///< Total number of keys of all visible tiles

  int n_tiles() const { return rows * cols; }
};

/// The queries (rows) and keys (columns) of a tile.
/// \param tile 0 … n_tiles − 1
StageWindow tile_bounds(const TiledHead& head, const ScoreTiles& grid, int tile);

/// The grid of tiles without reading scores: which tiles are hidden is unknown.
ScoreTiles tile_counts(const TiledHead& head);

/// Reads the scores to find hidden tiles. Requires scores and a softmax over keys. A slice is a row of tiles.
Slices<ScoreTiles> score_tiles(TiledHead head);

/// The state after a tile and all tiles to its left.
struct TileState {
  OnlineSoftmax kept;
  /// [rows of the tile, V], row-major: the reference output of the same queries, by softmax over entire rows.
  std::vector<double> at_once;
};
/// \param tile 0 … n_tiles − 1
TileState tile_state(const TiledHead& head, int tile);

/// The maximum absolute difference between O / l and `at_once`.
double difference_from_softmax(const TileState& state);

}  // namespace headscope
