#pragma once

#include <cstddef>

namespace headscope {

// Each function takes arrays of n numbers; Scalar is float or double. The _backward functions compute d_x =
// f'(x) · d_out; d_x may be d_out.

/// out = max(x, 0).
template <class Scalar>
void relu(const Scalar* x, std::size_t n, Scalar* out);
template <class Scalar>
void relu_backward(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x);

/// out = x · Φ(x) = x · ½ (1 + erf(x / √2)). Hendrycks and Gimpel 2016, in the exact form of PyTorch's
/// nn.GELU.
template <class Scalar>
void gelu(const Scalar* x, std::size_t n, Scalar* out);
template <class Scalar>
void gelu_backward(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x);

/// The approximation of GELU by tanh: out = ½ x (1 + tanh u) = x σ(2u) with u = √(2/π) (x + 0.044715 x³).
/// Hendrycks and Gimpel 2016, section 2; used by GPT-2 and by PyTorch's nn.GELU("tanh").
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
