#pragma once

#include <cstddef>
#include <limits>
#include <utility>

#include "core/tensor/key_mask.h"

namespace headscope {

/// The value of ScoreBlock::sink for no sink.
inline constexpr float no_sink = -std::numeric_limits<float>::infinity();

/// A block of [rows, cols] scores and weights. All matrices are contiguous and row-major.
struct ScoreBlock {
  int rows = 0;
  int cols = 0;
  float* raw = nullptr;
  float* scaled = nullptr;
  float* masked = nullptr;  ///< Aliases `capped` if no mask changes the scores.
  float* weights = nullptr;
  const KeyMask* visible = nullptr;  ///< The keys visible to the rows. Null if all are.
  int first_visible = 0;             ///< The row of `visible` for the first row of the block.
  int first_key = 0;                 ///< The key of `visible` for the first column.
  const float* added = nullptr;      ///< Added to the scores, or null.
  /// Position biases, or null. Row r's begin r floats before row 0's, since they depend only on the distance.
  const float* biases = nullptr;
  float softcap = 0.0F;     ///< The softcap of the scores. 0 if there is none.
  float* capped = nullptr;  ///< Aliases `scaled` if there is no softcap.
  /// A score that joins the softmax over keys of every row but has no weight of its own.
  float sink = no_sink;
};

/// Computes scaled = raw · factor, then capped = softcap(scaled), then masked = visible ? capped + added +
/// biases : mask_value.
void scale_and_mask(const ScoreBlock& block, float factor, float mask_value);

/// weights = softmax of each row of `masked`, after subtracting its maximum. A masked score of −∞ gives
/// exactly 0; a row of only −∞ becomes zeros. With a sink, each row sums to 1 minus the sink's weight.
void softmax_over_keys(const ScoreBlock& block);

/// Shorter rows are summed in a different order. In rows at least this long, trailing zeros do not change any
/// bit of the sum.
inline constexpr int short_row = 24;

/// weights = softmax of each column of `masked`, by the same rules. A sink is ignored.
void softmax_over_queries(const ScoreBlock& block);

/// For linear attention, in place of softmax: weights = each row of `masked` divided by its sum over the
/// keys. Negative scores count as hidden (0), since φ(q) · φ(k) ≥ 0; a row without visible keys becomes
/// zeros.
void normalize_over_keys(const ScoreBlock& block);

/// out = cap · tanh(values / cap), within ±cap. `out` may be `values`. The relative error of tanh is below
/// 4e-7. Bello et al. 2016; Gemma Team 2024, “Gemma 2”.
void softcap(const float* values, std::size_t n, float cap, float* out);
void softcap(const double* values, std::size_t n, double cap, double* out);

/// Replaces `n` numbers ≤ 0 by their exponentials, with a relative error below 2e-7. The result is exactly 0
/// for −∞ and below the smallest normal float.
void exp_in_place(float* values, int n);

/// Replaces the `n` ≥ 1 numbers of a row by e^(x − maximum). Returns the maximum, and the sum of the
/// exponentials. The version for doubles uses std::exp.
std::pair<float, float> exp_row_in_place(float* row, int n);
std::pair<double, double> exp_row_in_place(double* row, int n);

}  // namespace headscope
