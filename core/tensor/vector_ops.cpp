#include "core/tensor/vector_ops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/vector_ops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

template <class Scalar>
void add_numbers(const Scalar* a, const Scalar* b, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

template <class Scalar>
void scale_numbers(Scalar* x, std::size_t n, Scalar factor) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) x[i] *= factor;
}

void add_floats(const float* a, const float* b, std::size_t n, float* out) {
  add_numbers(a, b, n, out);
}

void scale_floats(float* x, std::size_t n, float factor) {
  scale_numbers(x, n, factor);
}

double sum_of_squared_floats(const float* x, std::size_t n) {
  return sum_of<double>(static_cast<std::ptrdiff_t>(n), [x](std::ptrdiff_t i) HWY_ATTR {
    const auto number = static_cast<double>(x[i]);
    return number * number;
  });
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(add_floats);
HWY_EXPORT(scale_floats);
HWY_EXPORT(sum_of_squared_floats);

}  // namespace

void add(const float* a, const float* b, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(add_floats)(a, b, n, out);
}

void add(const double* a, const double* b, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(add_numbers)(a, b, n, out);
}

void scale(float* x, std::size_t n, float factor) {
  HWY_DYNAMIC_DISPATCH(scale_floats)(x, n, factor);
}

void scale(double* x, std::size_t n, double factor) {
  HWY_STATIC_DISPATCH(scale_numbers)(x, n, factor);
}

double sum_of_squares(const float* x, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(sum_of_squared_floats)(x, n);
}

}  // namespace headscope
#endif
