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
void gate_backward_of_all(const Scalar* gate, const Scalar* y, const Scalar* d, std::size_t n, Scalar* d_x,
                          Scalar* d_y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Scalar own = d[i];
    d_x[i] = own * y[i] * gate[i] * (Scalar{1} - gate[i]);
    d_y[i] = own * gate[i];
  }
}

void logistic_of_floats(const float* x, std::size_t n, float* out) {
  logistic_of_all(x, n, out);
}
void products_of_floats(const float* a, const float* b, std::size_t n, float* out) {
  products_of_all(a, b, n, out);
}
void gate_backward_of_floats(const float* gate, const float* y, const float* d, std::size_t n, float* d_x,
                             float* d_y) {
  gate_backward_of_all(gate, y, d, n, d_x, d_y);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(logistic_of_floats);
HWY_EXPORT(products_of_floats);
HWY_EXPORT(gate_backward_of_floats);

}  // namespace

void logistic(const float* x, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(logistic_of_floats)(x, n, out);
}

void logistic(const double* x, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(logistic_of_all)(x, n, out);
}

void multiply_each(const float* a, const float* b, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(products_of_floats)(a, b, n, out);
}

void multiply_each(const double* a, const double* b, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(products_of_all)(a, b, n, out);
}

void gate_backward(const float* gate, const float* y, const float* d, std::size_t n, float* d_x, float* d_y) {
  HWY_DYNAMIC_DISPATCH(gate_backward_of_floats)(gate, y, d, n, d_x, d_y);
}

void gate_backward(const double* gate, const double* y, const double* d, std::size_t n, double* d_x,
                   double* d_y) {
  HWY_STATIC_DISPATCH(gate_backward_of_all)(gate, y, d, n, d_x, d_y);
}

}  // namespace headscope
#endif
