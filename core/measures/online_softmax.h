#pragma once

#include <limits>
#include <vector>

#include "core/tensor/view.h"

namespace headscope {

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

}  // namespace headscope
