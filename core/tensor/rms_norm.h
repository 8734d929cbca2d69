#pragma once

#include "core/tensor/view.h"

namespace headscope {

// Zhang and Sennrich 2019: each row of x is divided by its root mean square, then multiplied by a gain. No
// mean is taken off and no bias is added.

/// x / √(mean(x²) + ε) · gain, row by row; gain [D]. `out` [T, D] is contiguous and may be x.
void rms_norm(const MatrixView& x, const float* gain, float epsilon, float* out);

/// The same for contiguous rows, keeping each row's 1 / √(mean(x²) + ε) in `inverses`. Scalar is float or
/// double.
template <class Scalar>
void rms_norm_rows(const Scalar* x, int rows, int width, const Scalar* gain, Scalar epsilon, Scalar* out,
                   Scalar* inverses);

/// Its derivative at x, whose rows have these inverses: from d_out [T, D], the loss's gradient by the output,
/// d_x += the gradient by x, d_gain += the one by the gain.
template <class Scalar>
void rms_norm_backward(const Scalar* x, const Scalar* inverses, int rows, int width, const Scalar* gain,
                       const Scalar* d_out, Scalar* d_x, Scalar* d_gain);

}  // namespace headscope
