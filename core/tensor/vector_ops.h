#pragma once

#include <cstddef>

namespace headscope {

// Loops over `n` numbers. The versions for doubles are not vectorised; the tests of the derivatives use them.

/// out = a + b; `out` may be a or b.
void add(const float* a, const float* b, std::size_t n, float* out);
void add(const double* a, const double* b, std::size_t n, double* out);

/// x = x · factor.
void scale(float* x, std::size_t n, float factor);
void scale(double* x, std::size_t n, double factor);

/// Σ x², computed in double precision.
double sum_of_squares(const float* x, std::size_t n);

}  // namespace headscope
