#include "core/tensor/floats.h"

#include <Eigen/Core>
#include <bit>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/floats.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/halves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

template <class Half>
void to_floats(const std::byte* from, std::size_t n, float* to) {
  const Tag tag;
  constexpr std::size_t bytes = sizeof(Half);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(load_numbers<Half>(from + i * bytes), tag, to + i);
  if (i == n) return;
  std::byte rest[lanes * bytes] = {};
  float last[lanes];
  std::memcpy(rest, from + i * bytes, (n - i) * bytes);
  hn::StoreU(load_numbers<Half>(rest), tag, last);
  std::memcpy(to + i, last, (n - i) * sizeof(float));
}

void bfloat16_numbers(const std::byte* from, std::size_t n, float* to) {
  to_floats<hwy::bfloat16_t>(from, n, to);
}
void float16_numbers(const std::byte* from, std::size_t n, float* to) {
  to_floats<hwy::float16_t>(from, n, to);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(bfloat16_numbers);
HWY_EXPORT(float16_numbers);

}  // namespace

void bfloat16_to_float(const std::byte* from, std::size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(bfloat16_numbers)(from, n, to);
}

void float16_to_float(const std::byte* from, std::size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(float16_numbers)(from, n, to);
}

void float_to_bfloat16(const float* from, std::size_t n, std::byte* to) {
  constexpr unsigned half_bits = 16;
  for (std::size_t i = 0; i < n; ++i) {
    const auto half = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(from[i]) >> half_bits);
    std::memcpy(to + i * sizeof half, &half, sizeof half);
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
#endif
