#include "core/tensor/logistic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/logistic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

template <class Scalar>
void logistic_of_all(const Scalar* x, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = sigmoid(x[i]);
}

template <class Scalar>
void products_of_all(const Scalar* a, const Scalar* b, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

template <class Scalar>
void derivatives_of_all(const Scalar* y, std::size_t n, Scalar* d) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) d[i] = d[i] * y[i] * (Scalar{1} - y[i]);
}

void logistic_of_floats(const float* x, std::size_t n, float* out) {
  logistic_of_all(x, n, out);
}
void products_of_floats(const float* a, const float* b, std::size_t n, float* out) {
  products_of_all(a, b, n, out);
}
void derivatives_of_floats(const float* y, std::size_t n, float* d) {
  derivatives_of_all(y, n, d);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(logistic_of_floats);
HWY_EXPORT(products_of_floats);
HWY_EXPORT(derivatives_of_floats);

}  // namespace

void logistic(const float* x, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(logistic_of_floats)(x, n, out);
}

void logistic(const double* x, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(logistic_of_all)(x, n, out);
}

void multiply_elementwise(const float* a, const float* b, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(products_of_floats)(a, b, n, out);
}

void multiply_elementwise(const double* a, const double* b, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(products_of_all)(a, b, n, out);
}

void logistic_backward(const float* y, std::size_t n, float* d) {
  HWY_DYNAMIC_DISPATCH(derivatives_of_floats)(y, n, d);
}

void logistic_backward(const double* y, std::size_t n, double* d) {
  HWY_STATIC_DISPATCH(derivatives_of_all)(y, n, d);
}

}  // namespace headscope
#endif
