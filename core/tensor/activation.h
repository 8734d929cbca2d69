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

/// out = x σ(2u) = ½ x (1 + tanh u), u = √(2/π) (x + 0.044715 x³): the same by tanh. Hendrycks and Gimpel
/// 2016, section 2, as GPT-2 and PyTorch's nn.GELU("tanh") have it.
template <class Scalar>
void gelu_tanh(const Scalar* x, std::size_t n, Scalar* out);
template <class Scalar>
void gelu_tanh_backward(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x);

/// out = x σ(x) = x / (1 + e^−x), also called swish. Ramachandran et al. 2017.
template <class Scalar>
void silu(const Scalar* x, std::size_t n, Scalar* out);
template <class Scalar>
void silu_backward(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x);

}  // namespace headscope
