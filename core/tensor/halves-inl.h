// Registers of floats, loaded from numbers of 32 or 16 bits.

// Unlike a file with #pragma once, this one is included again for each target.
#if defined(HEADSCOPE_CORE_TENSOR_HALVES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADSCOPE_CORE_TENSOR_HALVES_INL_H
#undef HEADSCOPE_CORE_TENSOR_HALVES_INL_H
#else
#define HEADSCOPE_CORE_TENSOR_HALVES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Lanes = hn::Vec<Tag>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag()));

/// Converts bfloat16, the upper halves of floats.
template <class Halves>
HWY_INLINE Lanes promote(hwy::bfloat16_t, Halves halves) {
  constexpr int half_bits = 16;
  const hn::Rebind<std::uint32_t, Tag> bits;
  return hn::BitCast(Tag(), hn::ShiftLeft<half_bits>(hn::PromoteTo(bits, halves)));
}

/// Converts IEEE 754 binary16, exactly.
template <class Halves>
HWY_INLINE Lanes promote(hwy::float16_t, Halves halves) {
  const Tag tag;
#if HWY_TARGET <= HWY_AVX2 || HWY_ARCH_ARM_A64
  return hn::PromoteTo(tag, hn::BitCast(hn::Rebind<hwy::float16_t, Tag>(), halves));
#else
  // Exponent and fraction are shifted into place, and the exponent is adjusted to its larger bias. Subnormal
  // numbers become normal ones by a subtraction, which is exact, because arithmetic on subnormal floats is
  // slow.
  constexpr int exponent_shift = 13;
  constexpr int sign_shift = 16;
  const hn::Rebind<std::uint32_t, Tag> bits;
  const hn::Rebind<std::int32_t, Tag> signed_bits;
  const auto constant = [&](std::uint32_t value) HWY_ATTR { return hn::Set(bits, value); };
  const auto bias = constant(112U << 23U);
  const auto min_normal = constant(113U << 23U);  // 2⁻¹⁴ as a float
  const auto half = hn::PromoteTo(bits, halves);
  const auto magnitude = hn::And(half, constant(0x7FFF));
  const auto shifted = hn::ShiftLeft<exponent_shift>(magnitude);
  const auto subnormal = hn::BitCast(
      bits, hn::Sub(hn::BitCast(tag, hn::Add(shifted, min_normal)), hn::BitCast(tag, min_normal)));
  const auto is_above = [&](std::uint32_t limit) HWY_ATTR {
    return hn::RebindMask(
        bits, hn::Gt(hn::BitCast(signed_bits, magnitude), hn::BitCast(signed_bits, constant(limit))));
  };
  const auto normal = hn::Add(hn::Add(shifted, bias), hn::IfThenElseZero(is_above(0x7BFF), bias));
  const auto sign = hn::ShiftLeft<sign_shift>(hn::And(half, constant(0x8000)));
  return hn::BitCast(tag, hn::Or(hn::IfThenElse(is_above(0x03FF), normal, subnormal), sign));
#endif
}

/// Loads a register of floats from numbers of type float, hwy::bfloat16_t or hwy::float16_t at any address.
template <class Number>
HWY_INLINE Lanes load_numbers(const std::byte* from) {
  if constexpr (std::is_same_v<Number, float>) {
    return hn::LoadU(Tag(), reinterpret_cast<const float*>(from));
  } else {
    const hn::Rebind<std::uint16_t, Tag> half_tag;
    return promote(Number(), hn::LoadU(half_tag, reinterpret_cast<const std::uint16_t*>(from)));
  }
}

}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
