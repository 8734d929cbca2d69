#include "core/tensor/activation.h"

#include <cmath>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

template <class Scalar>
void relu_numbers(const Scalar* x, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] > Scalar{0} ? x[i] : Scalar{0};
}

template <class Scalar>
void relu_backward_numbers(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) d_x[i] = x[i] > Scalar{0} ? d_out[i] : Scalar{0};
}

/// The argument 2u of the sigmoid in gelu_tanh(), and its derivative.
template <class Scalar>
HWY_INLINE Scalar tanh_argument(Scalar x) {
  constexpr auto twice_root = static_cast<Scalar>(1.5957691216057308);
  return twice_root * (x + static_cast<Scalar>(0.044715) * x * x * x);
}
template <class Scalar>
HWY_INLINE Scalar tanh_argument_slope(Scalar x) {
  constexpr auto twice_root = static_cast<Scalar>(1.5957691216057308);
  return twice_root * (Scalar{1} + static_cast<Scalar>(3.0 * 0.044715) * x * x);
}

template <class Scalar>
void gelu_tanh_numbers(const Scalar* x, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * sigmoid(tanh_argument(x[i]));
}

template <class Scalar>
void gelu_tanh_backward_numbers(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Scalar share = sigmoid(tanh_argument(x[i]));
    d_x[i] = d_out[i] * (share + x[i] * share * (Scalar{1} - share) * tanh_argument_slope(x[i]));
  }
}

template <class Scalar>
void silu_numbers(const Scalar* x, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * sigmoid(x[i]);
}

template <class Scalar>
void silu_backward_numbers(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Scalar share = sigmoid(x[i]);
    d_x[i] = d_out[i] * share * (Scalar{1} + x[i] * (Scalar{1} - share));
  }
}

void gelu_tanh_floats(const float* x, std::size_t n, float* out) {
  gelu_tanh_numbers(x, n, out);
}

void gelu_tanh_backward_floats(const float* x, std::size_t n, const float* d_out, float* d_x) {
  gelu_tanh_backward_numbers(x, n, d_out, d_x);
}

void silu_floats(const float* x, std::size_t n, float* out) {
  silu_numbers(x, n, out);
}

void silu_backward_floats(const float* x, std::size_t n, const float* d_out, float* d_x) {
  silu_backward_numbers(x, n, d_out, d_x);
}

void relu_floats(const float* x, std::size_t n, float* out) {
  relu_numbers(x, n, out);
}

void relu_backward_floats(const float* x, std::size_t n, const float* d_out, float* d_x) {
  relu_backward_numbers(x, n, d_out, d_x);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(relu_floats);
HWY_EXPORT(relu_backward_floats);
HWY_EXPORT(gelu_tanh_floats);
HWY_EXPORT(gelu_tanh_backward_floats);
HWY_EXPORT(silu_floats);
HWY_EXPORT(silu_backward_floats);

}  // namespace

template <>
void relu(const float* x, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(relu_floats)(x, n, out);
}

template <>
void relu(const double* x, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(relu_numbers)(x, n, out);
}

template <>
void relu_backward(const float* x, std::size_t n, const float* d_out, float* d_x) {
  HWY_DYNAMIC_DISPATCH(relu_backward_floats)(x, n, d_out, d_x);
}

template <>
void relu_backward(const double* x, std::size_t n, const double* d_out, double* d_x) {
  HWY_STATIC_DISPATCH(relu_backward_numbers)(x, n, d_out, d_x);
}

template <>
void gelu_tanh(const float* x, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(gelu_tanh_floats)(x, n, out);
}

template <>
void gelu_tanh(const double* x, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(gelu_tanh_numbers)(x, n, out);
}

template <>
void gelu_tanh_backward(const float* x, std::size_t n, const float* d_out, float* d_x) {
  HWY_DYNAMIC_DISPATCH(gelu_tanh_backward_floats)(x, n, d_out, d_x);
}

template <>
void gelu_tanh_backward(const double* x, std::size_t n, const double* d_out, double* d_x) {
  HWY_STATIC_DISPATCH(gelu_tanh_backward_numbers)(x, n, d_out, d_x);
}

template <>
void silu(const float* x, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(silu_floats)(x, n, out);
}

template <>
void silu(const double* x, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(silu_numbers)(x, n, out);
}

template <>
void silu_backward(const float* x, std::size_t n, const float* d_out, float* d_x) {
  HWY_DYNAMIC_DISPATCH(silu_backward_floats)(x, n, d_out, d_x);
}

template <>
void silu_backward(const double* x, std::size_t n, const double* d_out, double* d_x) {
  HWY_STATIC_DISPATCH(silu_backward_numbers)(x, n, d_out, d_x);
}

// The standard library's erf is scalar.
template <class Scalar>
void gelu(const Scalar* x, std::size_t n, Scalar* out) {
  constexpr auto root_half = static_cast<Scalar>(0.70710678118654752);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<Scalar>(0.5) * x[i] * (Scalar{1} + std::erf(x[i] * root_half));
  }
}

// The derivative is Φ(x) + x φ(x), where φ is the density of N(0, 1).
template <class Scalar>
void gelu_backward(const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x) {
  constexpr auto half = static_cast<Scalar>(0.5);
  constexpr auto root_half = static_cast<Scalar>(0.70710678118654752);
  const auto peak = static_cast<Scalar>(1.0 / std::sqrt(2.0 * std::numbers::pi));
  for (std::size_t i = 0; i < n; ++i) {
    const Scalar below = half * (Scalar{1} + std::erf(x[i] * root_half));
    d_x[i] = d_out[i] * (below + x[i] * peak * std::exp(-half * x[i] * x[i]));
  }
}

template void gelu(const float*, std::size_t, float*);
template void gelu(const double*, std::size_t, double*);
template void gelu_backward(const float*, std::size_t, const float*, float*);
template void gelu_backward(const double*, std::size_t, const double*, double*);

}  // namespace headscope
#endif
