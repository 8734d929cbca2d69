#include "core/tensor/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/elementwise.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// ½ x (1 + tanh u) is x σ(2u): the argument 2u, and its derivative.
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

/// Every activation but gelu.
template <class Scalar>
void activate_numbers(Activation kind, const Scalar* x, std::size_t n, Scalar* out) {
  if (kind == Activation::relu) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i] = x[i] > Scalar{0} ? x[i] : Scalar{0};
  } else if (kind == Activation::gelu_tanh) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * sigmoid(tanh_argument(x[i]));
  } else {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * sigmoid(x[i]);
  }
}

template <class Scalar>
void activate_numbers_backward(Activation kind, const Scalar* x, std::size_t n, const Scalar* d_out,
                               Scalar* d_x) {
  if (kind == Activation::relu) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) d_x[i] = x[i] > Scalar{0} ? d_out[i] : Scalar{0};
  } else if (kind == Activation::gelu_tanh) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      const Scalar share = sigmoid(tanh_argument(x[i]));
      d_x[i] = d_out[i] * (share + x[i] * share * (Scalar{1} - share) * tanh_argument_slope(x[i]));
    }
  } else {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      const Scalar share = sigmoid(x[i]);
      d_x[i] = d_out[i] * share * (Scalar{1} + x[i] * (Scalar{1} - share));
    }
  }
}

template <class Scalar>
void logistic_numbers(const Scalar* x, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = sigmoid(x[i]);
}

template <class Scalar>
void logistic_numbers_backward(const Scalar* y, std::size_t n, Scalar* d) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) d[i] = d[i] * y[i] * (Scalar{1} - y[i]);
}

/// Computes both branches. exponential() accepts only x ≤ 0, so it gets 0 in place of positive numbers.
template <class Scalar>
void elu_numbers(const Scalar* x, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Scalar e = exponential(x[i] > Scalar{0} ? Scalar{0} : x[i]);
    out[i] = x[i] > Scalar{0} ? x[i] + Scalar{1} : e;
  }
}

template <class Scalar>
void elu_numbers_backward(const Scalar* mapped, std::size_t n, Scalar* d) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) d[i] *= mapped[i] < Scalar{1} ? mapped[i] : Scalar{1};
}

template <class Scalar>
void multiply_numbers(const Scalar* a, const Scalar* b, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

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

// HWY_EXPORT takes no templates.
void activate_floats(Activation kind, const float* x, std::size_t n, float* out) {
  activate_numbers(kind, x, n, out);
}
void activate_floats_backward(Activation kind, const float* x, std::size_t n, const float* d_out,
                              float* d_x) {
  activate_numbers_backward(kind, x, n, d_out, d_x);
}
void logistic_floats(const float* x, std::size_t n, float* out) {
  logistic_numbers(x, n, out);
}
void logistic_floats_backward(const float* y, std::size_t n, float* d) {
  logistic_numbers_backward(y, n, d);
}
void elu_floats(const float* x, std::size_t n, float* out) {
  elu_numbers(x, n, out);
}
void elu_floats_backward(const float* mapped, std::size_t n, float* d) {
  elu_numbers_backward(mapped, n, d);
}
void multiply_floats(const float* a, const float* b, std::size_t n, float* out) {
  multiply_numbers(a, b, n, out);
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

/// Non-temporal stores must be vector-aligned.
void stream_floats(const float* from, std::size_t n, float* to) {
  const hn::ScalableTag<float> tag;
  constexpr std::size_t per_store = hn::MaxLanes(hn::ScalableTag<float>());
  constexpr std::uintptr_t alignment = per_store * sizeof(float);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % alignment / sizeof(float);
  std::size_t i = std::min(n, misaligned == 0 ? 0 : per_store - misaligned);
  std::copy_n(from, i, to);
  for (; i + per_store <= n; i += per_store) hn::Stream(hn::LoadU(tag, from + i), tag, to + i);
  std::copy_n(from + i, n - i, to + i);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(activate_floats);
HWY_EXPORT(activate_floats_backward);
HWY_EXPORT(logistic_floats);
HWY_EXPORT(logistic_floats_backward);
HWY_EXPORT(elu_floats);
HWY_EXPORT(elu_floats_backward);
HWY_EXPORT(multiply_floats);
HWY_EXPORT(add_floats);
HWY_EXPORT(scale_floats);
HWY_EXPORT(sum_of_squared_floats);
HWY_EXPORT(stream_floats);

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

}  // namespace

template <>
void activate(Activation kind, const float* x, std::size_t n, float* out) {
  if (kind == Activation::gelu) return gelu(x, n, out);
  HWY_DYNAMIC_DISPATCH(activate_floats)(kind, x, n, out);
}

template <>
void activate(Activation kind, const double* x, std::size_t n, double* out) {
  if (kind == Activation::gelu) return gelu(x, n, out);
  HWY_STATIC_DISPATCH(activate_numbers)(kind, x, n, out);
}

template <>
void activate_backward(Activation kind, const float* x, std::size_t n, const float* d_out, float* d_x) {
  if (kind == Activation::gelu) return gelu_backward(x, n, d_out, d_x);
  HWY_DYNAMIC_DISPATCH(activate_floats_backward)(kind, x, n, d_out, d_x);
}

template <>
void activate_backward(Activation kind, const double* x, std::size_t n, const double* d_out, double* d_x) {
  if (kind == Activation::gelu) return gelu_backward(x, n, d_out, d_x);
  HWY_STATIC_DISPATCH(activate_numbers_backward)(kind, x, n, d_out, d_x);
}

void logistic(const float* x, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(logistic_floats)(x, n, out);
}

void logistic(const double* x, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(logistic_numbers)(x, n, out);
}

void logistic_backward(const float* y, std::size_t n, float* d) {
  HWY_DYNAMIC_DISPATCH(logistic_floats_backward)(y, n, d);
}

void logistic_backward(const double* y, std::size_t n, double* d) {
  HWY_STATIC_DISPATCH(logistic_numbers_backward)(y, n, d);
}

void elu_plus_one(const float* x, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(elu_floats)(x, n, out);
}

void elu_plus_one(const double* x, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(elu_numbers)(x, n, out);
}

void elu_plus_one_backward(const float* mapped, std::size_t n, float* d) {
  HWY_DYNAMIC_DISPATCH(elu_floats_backward)(mapped, n, d);
}

void elu_plus_one_backward(const double* mapped, std::size_t n, double* d) {
  HWY_STATIC_DISPATCH(elu_numbers_backward)(mapped, n, d);
}

void multiply_elementwise(const float* a, const float* b, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_floats)(a, b, n, out);
}

void multiply_elementwise(const double* a, const double* b, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(multiply_numbers)(a, b, n, out);
}

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

void stream_copy(const float* from, std::size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(stream_floats)(from, n, to);
}

void stream_fence() {
  hwy::FlushStream();
}

}  // namespace headscope
#endif
