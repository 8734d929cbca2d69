#pragma once

#include <type_traits>

namespace headscope {

// Norms of rows, with gain and bias [D]. LayerNorm (Ba, Kiros and Hinton 2016) is (x − mean) / √(variance +
// ε) · gain + bias, with the population variance. RMSNorm (Zhang and Sennrich 2019), for which a null bias
// stands, is x / √(mean(x²) + ε) · gain: no mean is subtracted and no bias is added.

/// The moments of a row, saved for norm_rows_backward().
template <class Scalar>
struct RowMoments {
  Scalar mean;     ///< 0 for RMSNorm.
  Scalar inverse;  ///< 1 / √(variance + ε), or 1 / √(mean(x²) + ε)
};

/// Normalises each row of x [T, D]. `out` [T, D] may be x. Saves the moments of each row unless `moments` is
/// null. Scalar is float or double.
template <class Scalar>
void norm_rows(const Scalar* x, int rows, int width, const Scalar* gain,
               const std::type_identity_t<Scalar>* bias, Scalar epsilon, Scalar* out,
               std::type_identity_t<RowMoments<Scalar>>* moments = nullptr);

/// The backward pass of norm_rows(). `moments` are those of the rows of x; d_out [T, D] is the gradient of
/// the output. Adds the gradients of x, gain and bias to d_x, d_gain and d_bias, which is null for RMSNorm.
template <class Scalar>
void norm_rows_backward(const Scalar* x, const RowMoments<Scalar>* moments, int rows, int width,
                        const Scalar* gain, const Scalar* d_out, Scalar* d_x, Scalar* d_gain,
                        std::type_identity_t<Scalar>* d_bias);

}  // namespace headscope
