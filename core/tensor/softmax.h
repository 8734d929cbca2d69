#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace headscope {

/// A sink that has no part in softmax.
inline constexpr float no_sink = -std::numeric_limits<float>::infinity();

/// A block of `rows` × `cols` scores on its way to weights; every matrix is contiguous and row-major.
struct ScoreBlock {
  int rows = 0;
  int cols = 0;
  float* raw = nullptr;
  float* scaled = nullptr;
  float* masked = nullptr;  ///< `capped` itself where no mask changes scores
  float* weights = nullptr;
  const std::uint8_t* visible = nullptr;  ///< null: every cell
  const float* added = nullptr;           ///< null: nothing
  /// Null: nothing. Row r's addends start r floats before row 0's: they depend on the distance alone.
  const float* biases = nullptr;
  float softcap = 0.0F;     ///< 0: there is none
  float* capped = nullptr;  ///< `scaled` itself without a softcap
  /// A score that takes part in the softmax over keys of every row without a weight of its own in it.
  float sink = no_sink;
};

/// scaled = raw · factor; capped = softcap of it; masked = visible ? capped + added + biases : mask_value.
void scale_and_mask(const ScoreBlock& block, float factor, float mask_value);

/// weights = softmax of each row of `masked`, the row's maximum subtracted first. Exactly 0 where masked is
/// −∞; a row of nothing but −∞ gives zeros. With a sink, rows add up to 1 less its share.
void softmax_over_keys(const ScoreBlock& block);

/// weights = softmax of each column of `masked`, by the same rules.
void softmax_over_queries(const ScoreBlock& block);

/// out = cap · tanh(values / cap), which stays within ±cap. `out` may be `values`. Relative error of tanh
/// below 4e-7. Bello et al. 2016; Gemma Team 2024, “Gemma 2”.
void softcap(const float* values, std::size_t n, float cap, float* out);
void softcap(const double* values, std::size_t n, double cap, double* out);

/// In place: the exponential of `n` numbers ≤ 0, relative error below 2e-7; exactly 0 for −∞ and for what
/// lies below the least normal float.
void exponentials(float* values, int n);

/// The result of row_exponentials() for a row.
template <class Scalar>
struct RowExponentials {
  Scalar maximum;
  Scalar sum;  ///< of the exponentials
};

/// In place: e^(x − maximum) of the `n` ≥ 1 numbers of a row. Those of doubles are std::exp's.
RowExponentials<float> row_exponentials(float* row, int n);
RowExponentials<double> row_exponentials(double* row, int n);

}  // namespace headscope
