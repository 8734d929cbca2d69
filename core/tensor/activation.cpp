#include "core/tensor/activation.h"

#include <cmath>

namespace headscope {

void relu(const float* x, std::size_t n, float* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] > 0.0F ? x[i] : 0.0F;
}

void gelu(const float* x, std::size_t n, float* out) {
  constexpr float root_half = 0.70710678118654752F;
  for (std::size_t i = 0; i < n; ++i) out[i] = 0.5F * x[i] * (1.0F + std::erf(x[i] * root_half));
}

}  // namespace headscope
