#pragma once

#include <cstddef>
#include <cstdint>

namespace headscope {

/// bfloat16, the upper half of a float, in little-endian order at any address.
void bfloat16_to_float(const std::byte* from, std::size_t n, float* to);
/// The inverse for numbers that bfloat16 represents; others lose their lower bits.
void float_to_bfloat16(const float* from, std::size_t n, std::byte* to);
/// IEEE 754 binary16, in little-endian order at any address. Exact, with subnormal numbers, infinities and
/// NaN.
void float16_to_float(const std::byte* from, std::size_t n, float* to);
/// The inverse, which rounds to the nearest number and ties to even. Larger numbers become infinite.
void float_to_float16(const float* from, std::size_t n, std::byte* to);

/// Where to write the 8-bit levels of quantised numbers, and the scale and offset of each group of them. A
/// number is scale · level + offset. Types without offsets leave those as they are.
struct LevelsOut {
  std::int8_t* levels = nullptr;
  float* scales = nullptr;
  float* offsets = nullptr;
};

/// Whether all n numbers are finite.
bool all_finite(const float* numbers, std::size_t n);

}  // namespace headscope
