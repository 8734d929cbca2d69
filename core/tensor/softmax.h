#pragma once

#include <cstddef>
#include <limits>

#include "core/tensor/key_mask.h"

namespace headscope {

/// The value of ScoreBlock::sink that stands for no sink.
inline constexpr float no_sink = -std::numeric_limits<float>::infinity();

/// A block of `rows` × `cols` scores to be turned into weights. Every matrix is contiguous and row-major.
struct ScoreBlock {
  int rows = 0;
  int cols = 0;
  float* raw = nullptr;
  float* scaled = nullptr;
  float* masked = nullptr;  ///< Points to `capped` if no mask changes the scores.
  float* weights = nullptr;
  const KeyMask* visible = nullptr;  ///< The keys that the rows see. Null if they see all keys.
  int first_visible = 0;             ///< The row of `visible` that is that of the first row.
  int first_key = 0;                 ///< The key of `visible` that is that of the first column.
  const float* added = nullptr;      ///< Addends to the scores. Null if nothing is added.
  /// Position biases. Row r's begin r floats before row 0's because they depend only on the distance. Null if
  /// there are none.
  const float* biases = nullptr;
  float softcap = 0.0F;     ///< The cap on the scores. 0 if there is none.
  float* capped = nullptr;  ///< Points to `scaled` if there is no softcap.
  /// A score that takes part in the softmax over keys of every row, but that has no cell among its weights.
  float sink = no_sink;
};

/// Computes scaled = raw · factor, then capped = softcap(scaled), then masked = visible ? capped + added +
/// biases : mask_value.
void scale_and_mask(const ScoreBlock& block, float factor, float mask_value);

/// weights = softmax of each row of `masked`, whose maximum is subtracted first. A weight is exactly 0 if its
/// masked score is −∞; a row of nothing but −∞ becomes zeros. With a sink, each row adds up to 1 minus the
/// sink's share.
void softmax_over_keys(const ScoreBlock& block);

/// Rows with fewer numbers than this are summed in a different order than longer rows. In longer rows, zeros
/// after the last number do not change the sum in any bit.
inline constexpr int short_row = 24;

/// weights = softmax of each column of `masked`, by the same rules. A sink is ignored.
void softmax_over_queries(const ScoreBlock& block);

/// out = cap · tanh(values / cap), which lies between −cap and cap. `out` may be `values`. The relative error
/// of tanh is below 4e-7. Bello et al. 2016; Gemma Team 2024, “Gemma 2”.
void softcap(const float* values, std::size_t n, float cap, float* out);
void softcap(const double* values, std::size_t n, double cap, double* out);

/// Replaces `n` numbers ≤ 0 by their exponentials, with a relative error below 2e-7. The result is exactly 0
/// for −∞ and for what would lie below the least normal float.
void exponentials(float* values, int n);

/// The result of row_exponentials() for a row.
template <class Scalar>
struct RowExponentials {
  Scalar maximum;
  Scalar sum;  ///< The sum of the exponentials.
};

/// Replaces the `n` ≥ 1 numbers of a row by e^(x − maximum). The version for doubles uses std::exp.
RowExponentials<float> row_exponentials(float* row, int n);
RowExponentials<double> row_exponentials(double* row, int n);

}  // namespace headscope
