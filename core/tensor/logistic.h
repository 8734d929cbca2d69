#pragma once

#include <cstddef>

namespace headscope {

/// out = σ(x) = 1 / (1 + e^−x), between 0 and 1. `out` may be x. The version for doubles uses std::exp.
void logistic(const float* x, std::size_t n, float* out);
void logistic(const double* x, std::size_t n, double* out);

/// out = a · b, element by element. `out` may be a or b.
void multiply_each(const float* a, const float* b, std::size_t n, float* out);
void multiply_each(const double* a, const double* b, std::size_t n, double* out);

/// Computes the gradients of σ(x) · y with respect to x and y, where gate = σ(x) and d is the loss's gradient
/// with respect to the product: d_y = d · gate and d_x = d · y · gate · (1 − gate). d_y may be d.
void gate_backward(const float* gate, const float* y, const float* d, std::size_t n, float* d_x, float* d_y);
void gate_backward(const double* gate, const double* y, const double* d, std::size_t n, double* d_x,
                   double* d_y);

}  // namespace headscope
