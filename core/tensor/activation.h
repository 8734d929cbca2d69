#pragma once

#include <cstddef>

namespace headscope {

// Of n numbers each; Scalar is float or double. Backward: d_x = the derivative at x · d_out; d_x may be
// d_out.

/// out = max(x, 0).
template <class Scalar>
void relu(const Scalar* x, std::size_t n, Scalar* out);
template <class Scalar>
void relu_backward(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x);

/// out = x · Φ(x) = x · ½ (1 + erf(x / √2)). Hendrycks and Gimpel 2016; the exact form, as PyTorch's nn.GELU.
template <class Scalar>
void gelu(const Scalar* x, std::size_t n, Scalar* out);
template <class Scalar>
void gelu_backward(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x);

}  // namespace headscope
