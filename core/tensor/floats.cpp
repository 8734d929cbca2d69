#include "core/tensor/floats.h"

#include <Eigen/Core>
#include <bit>
#include <cstdint>
#include <cstring>

namespace headscope {
namespace {

std::uint32_t half_at(const std::byte* from, std::size_t index) {
  std::uint16_t half = 0;
  std::memcpy(&half, from + index * sizeof half, sizeof half);
  return half;
}

}  // namespace

void bfloat16_to_float(const std::byte* from, std::size_t n, float* to) {
  constexpr unsigned half_bits = 16;
  for (std::size_t i = 0; i < n; ++i) to[i] = std::bit_cast<float>(half_at(from, i) << half_bits);
}

void float_to_bfloat16(const float* from, std::size_t n, std::byte* to) {
  constexpr unsigned half_bits = 16;
  for (std::size_t i = 0; i < n; ++i) {
    const auto half = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(from[i]) >> half_bits);
    std::memcpy(to + i * sizeof half, &half, sizeof half);
  }
}

void float16_to_float(const std::byte* from, std::size_t n, float* to) {
  // Exponent and fraction are shifted into place, and the exponent is adjusted to its larger bias. Subnormal
  // numbers become normal ones by a subtraction, which is exact, because arithmetic on subnormal floats is
  // slow.
  constexpr unsigned exponent_shift = 13;
  constexpr unsigned sign_shift = 16;
  constexpr std::uint32_t magnitude_mask = 0x7FFF;
  constexpr std::uint32_t sign = 0x8000;
  constexpr std::uint32_t first_normal = 0x0400;
  constexpr std::uint32_t first_not_finite = 0x7C00;
  constexpr std::uint32_t bias = 112U << 23U;
  constexpr std::uint32_t min_normal = 113U << 23U;  // 2⁻¹⁴ as a float
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t half = half_at(from, i);
    const std::uint32_t magnitude = half & magnitude_mask;
    const std::uint32_t shifted = magnitude << exponent_shift;
    const float subnormal = std::bit_cast<float>(shifted + min_normal) - std::bit_cast<float>(min_normal);
    // Masks instead of branches let the compiler vectorise the loop.
    const std::uint32_t not_finite = 0U - static_cast<std::uint32_t>(magnitude >= first_not_finite);
    const std::uint32_t is_subnormal = 0U - static_cast<std::uint32_t>(magnitude < first_normal);
    const std::uint32_t normal = shifted + bias + (bias & not_finite);
    const std::uint32_t number =
        (std::bit_cast<std::uint32_t>(subnormal) & is_subnormal) | (normal & ~is_subnormal);
    to[i] = std::bit_cast<float>(number | (half & sign) << sign_shift);
  }
}

void float_to_float16(const float* from, std::size_t n, std::byte* to) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t half = Eigen::half_impl::float_to_half_rtne(from[i]).x;
    std::memcpy(to + i * sizeof half, &half, sizeof half);
  }
}

bool all_finite(const float* numbers, std::size_t n) {
  constexpr std::uint32_t exponent = 0x7F800000;
  std::uint32_t n_others = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_other = (std::bit_cast<std::uint32_t>(numbers[i]) & exponent) == exponent;
    n_others |= is_other ? 1U : 0U;
  }
  return n_others == 0;
}

}  // namespace headscope
