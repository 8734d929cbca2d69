#pragma once

#include <cstddef>

namespace headscope {

/// out = σ(x) = 1 / (1 + e^−x), between 0 and 1. `out` may be x. The version for doubles uses std::exp.
void logistic(const float* x, std::size_t n, float* out);
void logistic(const double* x, std::size_t n, double* out);

/// out = a · b, element by element. `out` may be a or b.
void multiply_elementwise(const float* a, const float* b, std::size_t n, float* out);
void multiply_elementwise(const double* a, const double* b, std::size_t n, double* out);

/// Multiplies d in place by σ'(x) = y (1 − y) with y = σ(x).
void logistic_backward(const float* y, std::size_t n, float* d);
void logistic_backward(const double* y, std::size_t n, double* d);

}  // namespace headscope
