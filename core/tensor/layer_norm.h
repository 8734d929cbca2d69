#pragma once

#include "core/tensor/view.h"

namespace headscope {

/// What is usually added to the variance, as in PyTorch's nn.LayerNorm.
inline constexpr float layer_norm_epsilon = 1e-5F;

/// Each row of x [T, D] to mean 0 and variance 1 (population), then times gain plus bias, both [D]:
/// (x − mean) / √(variance + ε) · gain + bias. Ba, Kiros and Hinton 2016. `out` [T, D] may be x.
void layer_norm(const MatrixView& x, const float* gain, const float* bias, float* out,
                float epsilon = layer_norm_epsilon);

/// The moments of a row.
template <class Scalar>
struct RowMoments {
  Scalar mean;
  Scalar inverse;  ///< 1 / √(variance + ε)
};

/// The same for contiguous rows, keeping each row's moments. Scalar is float or double.
template <class Scalar>
void layer_norm_rows(const Scalar* x, int rows, int width, const Scalar* gain, const Scalar* bias,
                     Scalar* out, RowMoments<Scalar>* moments, Scalar epsilon = Scalar{layer_norm_epsilon});

/// Its derivative at x, whose rows have these moments: from d_out [T, D], the loss's gradient by the output,
/// d_x += the gradient by x, d_gain += and d_bias += those by the parameters.
template <class Scalar>
void layer_norm_backward(const Scalar* x, const RowMoments<Scalar>* moments, int rows, int width,
                         const Scalar* gain, const Scalar* d_out, Scalar* d_x, Scalar* d_gain,
                         Scalar* d_bias);

}  // namespace headscope
