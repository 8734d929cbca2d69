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

/// Every function but gelu and its derivative. exponential() accepts only x ≤ 0, so it gets 0 in place of
/// positive numbers.
template <class Scalar>
void apply_to_numbers(Elementwise function, const Scalar* a, const Scalar* b, std::size_t n, Scalar* out) {
  switch (function) {
    case Elementwise::add:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
      return;
    case Elementwise::multiply:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
      return;
    case Elementwise::logistic:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = sigmoid(a[i]);
      return;
    case Elementwise::logistic_backward:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = b[i] * a[i] * (Scalar{1} - a[i]);
      return;
    case Elementwise::elu_plus_one:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) {
        const Scalar e = exponential(a[i] > Scalar{0} ? Scalar{0} : a[i]);
        out[i] = a[i] > Scalar{0} ? a[i] + Scalar{1} : e;
      }
      return;
    case Elementwise::elu_plus_one_backward:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = b[i] * (a[i] < Scalar{1} ? a[i] : Scalar{1});
      return;
    case Elementwise::relu:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i] > Scalar{0} ? a[i] : Scalar{0};
      return;
    case Elementwise::relu_backward:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i] > Scalar{0} ? b[i] : Scalar{0};
      return;
    case Elementwise::gelu_tanh:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * sigmoid(tanh_argument(a[i]));
      return;
    case Elementwise::gelu_tanh_backward:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) {
        const Scalar share = sigmoid(tanh_argument(a[i]));
        out[i] = b[i] * (share + a[i] * share * (Scalar{1} - share) * tanh_argument_slope(a[i]));
      }
      return;
    case Elementwise::silu:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * sigmoid(a[i]);
      return;
    case Elementwise::silu_backward:
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) {
        const Scalar share = sigmoid(a[i]);
        out[i] = b[i] * share * (Scalar{1} + a[i] * (Scalar{1} - share));
      }
      return;
    default:
      return;
  }
}

template <class Scalar>
void scale_numbers(Scalar* x, std::size_t n, Scalar factor) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) x[i] *= factor;
}

// HWY_EXPORT takes no templates.
void apply_to_floats(Elementwise function, const float* a, const float* b, std::size_t n, float* out) {
  apply_to_numbers(function, a, b, n, out);
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

HWY_EXPORT(apply_to_floats);
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
void apply(Elementwise function, const float* a, const float* b, std::size_t n, float* out) {
  if (function == Elementwise::gelu) return gelu(a, n, out);
  if (function == Elementwise::gelu_backward) return gelu_backward(a, n, b, out);
  HWY_DYNAMIC_DISPATCH(apply_to_floats)(function, a, b, n, out);
}

template <>
void apply(Elementwise function, const double* a, const double* b, std::size_t n, double* out) {
  if (function == Elementwise::gelu) return gelu(a, n, out);
  if (function == Elementwise::gelu_backward) return gelu_backward(a, n, b, out);
  HWY_STATIC_DISPATCH(apply_to_numbers)(function, a, b, n, out);
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
