#pragma once

#include <cstddef>

namespace headscope {

/// σ(x) = 1 / (1 + e^−x), between 0 and 1. `out` may be x. Those of doubles are by std::exp.
void logistic(const float* x, std::size_t n, float* out);
void logistic(const double* x, std::size_t n, double* out);

/// out = a · b, number by number. `out` may be a or b.
void multiply_each(const float* a, const float* b, std::size_t n, float* out);
void multiply_each(const double* a, const double* b, std::size_t n, double* out);

/// The derivative of σ(x) · y by both: from d, the loss's gradient by the products, and gate = σ(x), d_y = d
/// · gate and d_x = d · y · gate · (1 − gate). d_y may be d.
void gate_backward(const float* gate, const float* y, const float* d, std::size_t n, float* d_x, float* d_y);
void gate_backward(const double* gate, const double* y, const double* d, std::size_t n, double* d_x,
                   double* d_y);

}  // namespace headscope
