#pragma once

#include <cstddef>

namespace headscope {

/// out = max(x, 0).
void relu(const float* x, std::size_t n, float* out);

/// out = x · Φ(x) = x · ½ (1 + erf(x / √2)). Hendrycks and Gimpel 2016; the exact form, as PyTorch's nn.GELU.
void gelu(const float* x, std::size_t n, float* out);

}  // namespace headscope
