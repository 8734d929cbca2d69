#pragma once

#include "core/tensor/view.h"

namespace headscope {

/// The usual ε, as in PyTorch's nn.LayerNorm.
inline constexpr float layer_norm_epsilon = 1e-5F;

/// Normalises each row of x [T, D] to mean 0 and (population) variance 1, then applies gain and bias, both
/// [D]: out = (x − mean) / √(variance + ε) · gain + bias. Ba, Kiros and Hinton 2016. `out` [T, D] may be x.
void layer_norm(const MatrixView& x, const float* gain, const float* bias, float* out,
                float epsilon = layer_norm_epsilon);

/// The moments of a row, saved for layer_norm_backward().
template <class Scalar>
struct RowMoments {
  Scalar mean;
  Scalar inverse;  ///< 1 / √(variance + ε).
};

/// Like layer_norm() for contiguous rows; also saves the moments of each row. Scalar is float or double.
template <class Scalar>
void layer_norm_rows(const Scalar* x, int rows, int width, const Scalar* gain, const Scalar* bias,
                     Scalar* out, RowMoments<Scalar>* moments, Scalar epsilon = Scalar{layer_norm_epsilon});

/// The backward pass of layer_norm_rows(). `moments` are those of the rows of x; d_out [T, D] is the gradient
/// of the output. Adds the gradients of x, gain and bias to d_x, d_gain and d_bias.
template <class Scalar>
void layer_norm_backward(const Scalar* x, const RowMoments<Scalar>* moments, int rows, int width,
                         const Scalar* gain, const Scalar* d_out, Scalar* d_x, Scalar* d_gain,
                         Scalar* d_bias);

// Zhang and Sennrich 2019: each row of x is divided by its root mean square, then multiplied by a gain. No
// mean is subtracted and no bias is added.

/// out = x / √(mean(x²) + ε) · gain, row by row, with gain [D]. `out` [T, D] is contiguous and may be x.
void rms_norm(const MatrixView& x, const float* gain, float epsilon, float* out);

/// The same for contiguous rows; also saves 1 / √(mean(x²) + ε) of each row in `inverses`. Scalar is float or
/// double.
template <class Scalar>
void rms_norm_rows(const Scalar* x, int rows, int width, const Scalar* gain, Scalar epsilon, Scalar* out,
                   Scalar* inverses);

/// The backward pass of rms_norm_rows(). `inverses` are those of the rows of x; d_out [T, D] is the gradient
/// of the output. Adds the gradients of x and gain to d_x and d_gain.
template <class Scalar>
void rms_norm_backward(const Scalar* x, const Scalar* inverses, int rows, int width, const Scalar* gain,
                       const Scalar* d_out, Scalar* d_x, Scalar* d_gain);

}  // namespace headscope
