#pragma once

#include "core/tensor/view.h"

namespace headscope {

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
