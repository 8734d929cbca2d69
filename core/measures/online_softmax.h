#pragma once

#include <limits>
#include <vector>

#include "core/tensor/view.h"

namespace headscope {

inline constexpr double no_sink_score = -std::numeric_limits<double>::infinity();

/// What is kept of a block of queries while their scores are taken in tile by tile: algorithm 1 of
/// FlashAttention-2 (Dao 2023), whose softmax is that of Milakov and Gimelshein 2018. In double precision.
struct OnlineSoftmax {
  std::vector<double> maximum;   ///< m [R]: the greatest score so far; −∞ before any
  std::vector<double> sum;       ///< l [R]: Σ exp(score − m) over the keys so far
  std::vector<double> rescaled;  ///< [R] exp(m before − m now): what the last tile multiplied l and O by
  std::vector<double> output;    ///< O [R, V], row-major: Σ exp(score − m) · value; the output is O / l
  int width = 0;                 ///< V

  int rows() const { return static_cast<int>(sum.size()); }
  /// O / l of a query and a dimension; 0 where all keys so far are hidden.
  double normalised(int row, int dimension) const;
};

/// Nothing seen yet, but for a score that brings no value: a sink, which m and l begin with; −∞: there is
/// none.
OnlineSoftmax nothing_seen(int rows, int width, double sink = no_sink_score);

/// Takes in a tile.
/// \param scores [R, keys of the tile], R as `kept` has, after scale and mask; −∞ hides a key, +∞ is none
/// \param values [keys of the tile, V]
void take_in(OnlineSoftmax& kept, MatrixView scores, MatrixView values);

/// The same at once: softmax of the whole rows, with their true maximum, times the values, in double
/// precision: [R, V], row-major. A row that sees nothing is 0.
std::vector<double> attended_at_once(MatrixView scores, MatrixView values, double sink = no_sink_score);

}  // namespace headscope
