#include "core/io/ggml_blocks.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "core/tensor/floats.h"

namespace headscope {
namespace {

constexpr unsigned low_four = 0xF;
constexpr std::size_t half_bytes = 2;

unsigned byte_at(const std::byte* from, std::size_t index) {
  return std::to_integer<unsigned>(from[index]);
}

/// The value of a signed byte.
int signed_at(const std::byte* from, std::size_t index) {
  return static_cast<std::int8_t>(byte_at(from, index));
}

float half_at(const std::byte* from) {
  float number = 0.0F;
  float16_to_float(from, 1, &number);
  return number;
}

float as_float(unsigned number) {
  return static_cast<float>(static_cast<int>(number));
}

/// Converts consecutive blocks.
template <class Block>
void convert_blocks(const std::byte* from, std::size_t n_blocks, BlockSize size, float* to, Block&& block) {
  for (std::size_t i = 0; i < n_blocks; ++i) block(from + i * size.bytes, to + i * size.numbers);
}

/// Converts a block of 32 numbers of 4 or 5 bits. It consists of d; m, if `has_min`; the fifth bits of all
/// numbers, if they have 5; and 16 bytes, in which byte j holds the lower four bits of numbers j and j + 16.
/// Without m, numbers are centred around 0.
template <int n_bits, bool has_min>
void convert_plain_block(const std::byte* from, float* to) {
  constexpr std::size_t n_bytes = 16;
  constexpr int middle = 1 << (n_bits - 1);
  const float d = half_at(from);
  from += half_bytes;
  const float min_value = has_min ? half_at(from) : 0.0F;
  if (has_min) from += half_bytes;
  const std::byte* const fifth_bits = from;
  if (n_bits > 4) from += 4;
  const auto fifth = [&](std::size_t j) {
    return n_bits > 4 ? (byte_at(fifth_bits, j / 8) >> j % 8 & 1U) << 4U : 0U;
  };
  const auto number = [&](unsigned bits) {
    const int q = static_cast<int>(bits);
    return has_min ? static_cast<float>(q) * d + min_value : static_cast<float>(q - middle) * d;
  };
  for (std::size_t j = 0; j < n_bytes; ++j) {
    const unsigned byte = byte_at(from, j);
    to[j] = number((byte & low_four) | fifth(j));
    to[j + n_bytes] = number(byte >> 4U | fifth(j + n_bytes));
  }
}

struct ScaleAndMin {
  unsigned scale = 0;
  unsigned min = 0;
};

/// The 6-bit scale and minimum of sub-block j of q4_k and q5_k. The low six bits of the first eight of the 12
/// bytes hold those of parts 0 to 3. For parts 4 to 7, the upper two bits are the highest bits of these
/// bytes, and the lower four bits of both numbers share a byte of the last four.
ScaleAndMin packed_scale(const std::byte* from, std::size_t j) {
  constexpr unsigned low_six = 0x3F;
  if (j < 4) return {byte_at(from, j) & low_six, byte_at(from, j + 4) & low_six};
  const unsigned lower = byte_at(from, j + 4);
  return {(lower & low_four) | byte_at(from, j - 4) >> 6U << 4U, lower >> 4U | byte_at(from, j) >> 6U << 4U};
}

/// Converts a block of q4_k or, with fifth bits, of q5_k: d, the factor of the minima, the scales, the fifth
/// bits if any, and the lower four bits, in which two sub-blocks of 32 numbers share 32 bytes.
template <bool has_fifth>
void convert_scaled_block(const std::byte* from, float* to) {
  constexpr std::size_t n_parts = 8, part = 32, scale_bytes = 12;
  const float d = half_at(from);
  const float d_min = half_at(from + half_bytes);
  const std::byte* const scales = from + 2 * half_bytes;
  const std::byte* const fifth_bits = scales + scale_bytes;
  const std::byte* const bits = fifth_bits + (has_fifth ? part : 0);
  for (std::size_t p = 0; p < n_parts; ++p) {
    const ScaleAndMin own = packed_scale(scales, p);
    const float scale = d * as_float(own.scale);
    const float min_value = d_min * as_float(own.min);
    const unsigned shift = p % 2 == 0 ? 0 : 4;
    for (std::size_t l = 0; l < part; ++l) {
      unsigned q = byte_at(bits, p / 2 * part + l) >> shift & low_four;
      if (has_fifth) q |= (byte_at(fifth_bits, l) >> p & 1U) << 4U;
      to[p * part + l] = scale * as_float(q) - min_value;
    }
  }
}

/// The location of the two bits of the first number of a sub-block in q2_k, q3_k and q6_k (16 numbers each):
/// the byte, which holds two bits of each of four numbers, and the shift within it. Each half of the block
/// has its own 32 bytes.
struct TwoBits {
  std::size_t first = 0;
  unsigned shift = 0;
};
constexpr std::size_t short_part = 16, n_short_parts = 16;

constexpr TwoBits two_bits_of(std::size_t part) {
  return {part / 8 * 32 + part % 2 * short_part, static_cast<unsigned>(part % 8 / 2 * 2)};
}

void convert_q2_k(const std::byte* from, float* to) {
  const std::byte* const bits = from + n_short_parts;
  const std::byte* const factors = bits + 64;
  const float d = half_at(factors);
  const float d_min = half_at(factors + half_bytes);
  for (std::size_t p = 0; p < n_short_parts; ++p) {
    const unsigned own = byte_at(from, p);
    const float scale = d * as_float(own & low_four);
    const float min_value = d_min * as_float(own >> 4U);
    const TwoBits at = two_bits_of(p);
    for (std::size_t l = 0; l < short_part; ++l) {
      const unsigned q = byte_at(bits, at.first + l) >> at.shift & 3U;
      to[p * short_part + l] = scale * as_float(q) - min_value;
    }
  }
}

void convert_q3_k(const std::byte* from, float* to) {
  constexpr int middle_scale = 32;
  const std::byte* const third_bits = from;
  const std::byte* const bits = from + 32;
  const std::byte* const scales = bits + 64;
  const float d = half_at(scales + 12);
  for (std::size_t p = 0; p < n_short_parts; ++p) {
    // Four bits of each scale are in the first eight bytes, the other two in the last four.
    const unsigned lower = p < 8 ? byte_at(scales, p) & low_four : byte_at(scales, p - 8) >> 4U;
    const unsigned upper = byte_at(scales, 8 + p % 4) >> (p / 4 * 2) & 3U;
    const float scale = d * static_cast<float>(static_cast<int>(lower | upper << 4U) - middle_scale);
    const TwoBits at = two_bits_of(p);
    for (std::size_t l = 0; l < short_part; ++l) {
      const int q = static_cast<int>(byte_at(bits, at.first + l) >> at.shift & 3U);
      const bool has_third = (byte_at(third_bits, at.first % 32 + l) >> p / 2 & 1U) != 0;
      to[p * short_part + l] = scale * static_cast<float>(has_third ? q : q - 4);
    }
  }
}

void convert_q6_k(const std::byte* from, float* to) {
  constexpr int middle = 32;
  const std::byte* const upper_bits = from + 128;
  const std::byte* const scales = upper_bits + 64;
  const float d = half_at(scales + n_short_parts);
  for (std::size_t p = 0; p < n_short_parts; ++p) {
    const float scale = d * static_cast<float>(signed_at(scales, p));
    const TwoBits at = two_bits_of(p);
    const std::size_t lower_first = p / 8 * 64 + p % 4 * short_part;
    const unsigned lower_shift = p % 8 < 4 ? 0 : 4;
    for (std::size_t l = 0; l < short_part; ++l) {
      const unsigned lower = byte_at(from, lower_first + l) >> lower_shift & low_four;
      const unsigned upper = byte_at(upper_bits, at.first + l) >> at.shift & 3U;
      to[p * short_part + l] = scale * static_cast<float>(static_cast<int>(lower | upper << 4U) - middle);
    }
  }
}

/// The levels of iq4_nl.
constexpr std::array<float, 16> uneven_steps{-127, -104, -83, -65, -49, -35, -22, -10,
                                             1,    13,   25,  38,  53,  69,  89,  113};

}  // namespace

void q4_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q4_0_block, to, convert_plain_block<4, false>);
}

void q4_1_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q4_1_block, to, convert_plain_block<4, true>);
}

void q5_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q5_0_block, to, convert_plain_block<5, false>);
}

void q5_1_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q5_1_block, to, convert_plain_block<5, true>);
}

void q8_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q8_0_block, to, [](const std::byte* block, float* numbers) {
    const float d = half_at(block);
    for (std::size_t j = 0; j < q8_0_block.numbers; ++j)
      numbers[j] = static_cast<float>(signed_at(block + half_bytes, j)) * d;
  });
}

void iq4_nl_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, iq4_nl_block, to, [](const std::byte* block, float* numbers) {
    constexpr std::size_t n_bytes = 16;
    const float d = half_at(block);
    for (std::size_t j = 0; j < n_bytes; ++j) {
      const unsigned byte = byte_at(block + half_bytes, j);
      numbers[j] = d * uneven_steps[byte & low_four];
      numbers[j + n_bytes] = d * uneven_steps[byte >> 4U];
    }
  });
}

void iq4_xs_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, iq4_xs_block, to, [](const std::byte* block, float* numbers) {
    constexpr std::size_t n_parts = 8, part = 32, n_bytes = 16;
    constexpr int middle = 32;
    const std::byte* const lower_scales = block + 2 * half_bytes;
    const std::byte* const bits = lower_scales + n_parts / 2;
    const unsigned upper_scales = byte_at(block, half_bytes) | byte_at(block, half_bytes + 1) << 8U;
    for (std::size_t p = 0; p < n_parts; ++p) {
      const unsigned scale =
          (byte_at(lower_scales, p / 2) >> p % 2 * 4 & low_four) | (upper_scales >> 2 * p & 3U) << 4U;
      const float d = half_at(block) * static_cast<float>(static_cast<int>(scale) - middle);
      for (std::size_t j = 0; j < n_bytes; ++j) {
        const unsigned byte = byte_at(bits, p * n_bytes + j);
        numbers[p * part + j] = d * uneven_steps[byte & low_four];
        numbers[p * part + j + n_bytes] = d * uneven_steps[byte >> 4U];
      }
    }
  });
}

void mxfp4_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, mxfp4_block, to, [](const std::byte* block, float* numbers) {
    constexpr std::size_t n_bytes = 16;
    constexpr int bias = 127;
    const int exponent = static_cast<int>(byte_at(block, 0)) - bias;
    for (std::size_t j = 0; j < n_bytes; ++j) {
      const unsigned byte = byte_at(block, 1 + j);
      numbers[j] = std::ldexp(fp4_steps[byte & low_four], exponent);
      numbers[j + n_bytes] = std::ldexp(fp4_steps[byte >> 4U], exponent);
    }
  });
}

void q2_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q2_k_block, to, convert_q2_k);
}

void q3_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q3_k_block, to, convert_q3_k);
}

void q4_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q4_k_block, to, convert_scaled_block<false>);
}

void q5_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q5_k_block, to, convert_scaled_block<true>);
}

void q6_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  convert_blocks(from, n_blocks, q6_k_block, to, convert_q6_k);
}

}  // namespace headscope
