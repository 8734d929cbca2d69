// The arithmetic that the kernels share, compiled once for each instruction set into a separate namespace.
// The results are identical to the last bit on every processor with fused multiply-add: products are fused
// where mul_add() says so and nowhere else (-ffp-contract=off), and a sum over a row always has the same
// partial sums. Without fused multiply-add, each mul_add() is rounded once more.

// Unlike a file with #pragma once, this one is included again for each target.
#if defined(HEADSCOPE_CORE_TENSOR_ROW_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADSCOPE_CORE_TENSOR_ROW_MATH_INL_H
#undef HEADSCOPE_CORE_TENSOR_ROW_MATH_INL_H
#else
#define HEADSCOPE_CORE_TENSOR_ROW_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {

/// a · b + c.
HWY_INLINE float mul_add(float a, float b, float c) {
#if HWY_NATIVE_FMA
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
HWY_INLINE double mul_add(double a, double b, double c) {
#if HWY_NATIVE_FMA
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// The number of lanes of sums and maxima over a row, independent of the SIMD width.
inline constexpr int row_lanes = 16;

/// Sums the lanes pairwise, starting with pairs row_lanes / 2 apart.
template <class Scalar>
HWY_INLINE Scalar folded_sum(Scalar* lanes) {
  for (int half = row_lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

/// term(0) + … + term(n − 1).
template <class Scalar, class Index, class Term>
HWY_INLINE Scalar sum_of(Index n, const Term& term) {
  Scalar lanes[row_lanes] = {};
  Index i = 0;
  for (; i + row_lanes <= n; i += row_lanes) {
#pragma omp simd
    for (int l = 0; l < row_lanes; ++l) lanes[l] += term(i + l);
  }
  for (int l = 0; i + l < n; ++l) lanes[l] += term(i + l);
  return folded_sum(lanes);
}

template <class Scalar>
HWY_INLINE Scalar max_of(Scalar a, Scalar b) {
  return a < b ? b : a;
}

/// The maximum of a row, or −∞ if the row is empty.
template <class Scalar>
HWY_INLINE Scalar row_maximum(const Scalar* row, int n) {
  Scalar lanes[row_lanes];
  for (Scalar& lane : lanes) lane = -std::numeric_limits<Scalar>::infinity();
  int i = 0;
  for (; i + row_lanes <= n; i += row_lanes) {
#pragma omp simd
    for (int l = 0; l < row_lanes; ++l) lanes[l] = max_of(lanes[l], row[i + l]);
  }
  for (int l = 0; i + l < n; ++l) lanes[l] = max_of(lanes[l], row[i + l]);
  for (int half = row_lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lanes[l] = max_of(lanes[l], lanes[l + half]);
  }
  return lanes[0];
}

template <class Scalar>
HWY_INLINE Scalar row_sum(const Scalar* row, int n) {
  return sum_of<Scalar>(n, [row](int i) HWY_ATTR { return row[i]; });
}

/// e^x for x ≤ 0. Writes x as n·ln 2 + r with |r| ≤ ln 2 / 2, evaluates a polynomial in r (the coefficients
/// of Cephes' expf, Moshier 1992), and adds n to the exponent's bits. A NaN that arithmetic produced stays a
/// NaN.
HWY_INLINE float exponential(float x) {
  constexpr float log2_e = 1.44269504088896341F;
  constexpr float ln2_high = 0.693359375F;
  constexpr float ln2_low = -2.12194440e-4F;
  constexpr float min_input = -87.3365402F;  // The logarithm of the smallest normal float.
  const float clamped = x < min_input ? min_input : x;
  // Adding 1.5 · 2²³ rounds to the nearest integer and puts it into the lowest bits. This avoids a cast to an
  // integer, which would be undefined for NaN.
  constexpr float round = 12582912.0F;
  const float rounded = mul_add(clamped, log2_e, round);
  const float n = rounded - round;
  float r = mul_add(-n, ln2_high, clamped);
  r = mul_add(-n, ln2_low, r);
  float p = 1.9875691500E-4F;
  p = mul_add(p, r, 1.3981999507E-3F);
  p = mul_add(p, r, 8.3334519073E-3F);
  p = mul_add(p, r, 4.1665795894E-2F);
  p = mul_add(p, r, 1.6666665459E-1F);
  p = mul_add(p, r, 5.0000001201E-1F);
  p = mul_add(p * r, r, r) + 1.0F;
  constexpr int exponent_bit = 23;
  const std::uint32_t bits =
      std::bit_cast<std::uint32_t>(p) + (std::bit_cast<std::uint32_t>(rounded) << exponent_bit);
  return x < min_input ? 0.0F : std::bit_cast<float>(bits);
}
inline double exponential(double x) {
  return std::exp(x);
}

/// 1 / (1 + e^−x), computed from e^−|x|, which does not overflow.
template <class Scalar>
HWY_INLINE Scalar sigmoid(Scalar x) {
  const Scalar e = exponential(x < Scalar{0} ? x : -x);
  return (x < Scalar{0} ? e : Scalar{1}) / (Scalar{1} + e);
}

/// tanh x. Near 0, it is computed as Lambert's continued fraction x / (1 + x² / (3 + x² / (5 + x² / (7 + x² /
/// 9)))), because the formula (1 − e) / (1 + e) with e = exp(−2|x|), used elsewhere, would lose digits to
/// cancellation there.
HWY_INLINE float hyperbolic_tangent(float x) {
  constexpr float near_zero = 0.625F;
  const float size = x < 0.0F ? -x : x;
  const float square = x * x;
  const float above = mul_add(mul_add(square, 1.0F, 105.0F), square, 945.0F);
  const float below = mul_add(mul_add(square, 15.0F, 420.0F), square, 945.0F);
  const float small = x * above / below;
  const float e = exponential(-2.0F * size);
  const float large = (1.0F - e) / (1.0F + e);
  const float signed_large = x < 0.0F ? -large : large;
  return size < near_zero ? small : signed_large;
}
inline double hyperbolic_tangent(double x) {
  return std::tanh(x);
}

}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
