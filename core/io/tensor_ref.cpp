#include "core/io/tensor_ref.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/enum_count.h"
#include "core/tensor/floats.h"

namespace headscope {
namespace {

// Dequantisation of ggml blocks. Each function reads the levels of a block, at any alignment, and the scale
// and, if the type has them, the offset of each group; scale · level + offset is bit-identical to the result
// of ggml's reference functions. Layouts are those of ggml-common.h, little-endian.

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
  Eigen::half_impl::__half_raw half;
  std::memcpy(&half.x, from, sizeof half.x);
  return Eigen::half_impl::half_to_float(half);
}

float as_float(unsigned number) {
  return static_cast<float>(static_cast<int>(number));
}

std::int8_t level_of(unsigned bits, int middle = 0) {
  return static_cast<std::int8_t>(static_cast<int>(bits) - middle);
}

/// A block of 32 numbers of 4 or 5 bits. It consists of d; m, if `has_min`; the fifth bits of all
/// numbers, if they have 5; and 16 bytes, in which byte j holds the lower four bits of numbers j and j + 16.
/// Without m, numbers are centred around 0.
template <int n_bits, bool has_min>
void read_plain_block(const std::byte* from, const LevelsOut& to) {
  constexpr std::size_t n_bytes = 16;
  constexpr int middle = has_min ? 0 : 1 << (n_bits - 1);
  *to.scales = half_at(from);
  from += half_bytes;
  if (has_min) {
    *to.offsets = half_at(from);
    from += half_bytes;
  }
  const std::byte* const fifth_bits = from;
  if (n_bits > 4) from += 4;
  const auto fifth = [&](std::size_t j) {
    return n_bits > 4 ? (byte_at(fifth_bits, j / 8) >> j % 8 & 1U) << 4U : 0U;
  };
  const auto level = [&](unsigned bits) { return level_of(bits, middle); };
  std::int8_t* const __restrict levels = to.levels;
  for (std::size_t j = 0; j < n_bytes; ++j) {
    const unsigned byte = byte_at(from, j);
    levels[j] = level((byte & low_four) | fifth(j));
    levels[j + n_bytes] = level(byte >> 4U | fifth(j + n_bytes));
  }
}

/// The 6-bit scale and minimum of sub-block j of q4_k and q5_k. The low six bits of the first eight of the 12
/// bytes hold those of parts 0 to 3. For parts 4 to 7, the upper two bits are the highest bits of these
/// bytes, and the lower four bits of both numbers share a byte of the last four.
std::pair<unsigned, unsigned> packed_scale(const std::byte* from, std::size_t j) {
  constexpr unsigned low_six = 0x3F;
  if (j < 4) return {byte_at(from, j) & low_six, byte_at(from, j + 4) & low_six};
  const unsigned lower = byte_at(from, j + 4);
  return {(lower & low_four) | byte_at(from, j - 4) >> 6U << 4U, lower >> 4U | byte_at(from, j) >> 6U << 4U};
}

/// A block of q4_k or, with fifth bits, of q5_k: d, the factor of the minima, the scales, the fifth
/// bits if any, and the lower four bits, in which two sub-blocks of 32 numbers share 32 bytes.
template <bool has_fifth>
void read_scaled_block(const std::byte* from, const LevelsOut& to) {
  constexpr std::size_t n_parts = 8, part = 32, scale_bytes = 12;
  const float d = half_at(from);
  const float d_min = half_at(from + half_bytes);
  const std::byte* const scales = from + 2 * half_bytes;
  const std::byte* const fifth_bits = scales + scale_bytes;
  const std::byte* const bits = fifth_bits + (has_fifth ? part : 0);
  for (std::size_t p = 0; p < n_parts; ++p) {
    const auto [own_scale, own_min] = packed_scale(scales, p);
    to.scales[p] = d * as_float(own_scale);
    to.offsets[p] = -(d_min * as_float(own_min));
    const unsigned shift = p % 2 == 0 ? 0 : 4;
    std::int8_t* const __restrict levels = to.levels + p * part;
    for (std::size_t l = 0; l < part; ++l) {
      unsigned q = byte_at(bits, p / 2 * part + l) >> shift & low_four;
      if (has_fifth) q |= (byte_at(fifth_bits, l) >> p & 1U) << 4U;
      levels[l] = level_of(q);
    }
  }
}

constexpr std::size_t short_part = 16, n_short_parts = 16;

/// The location of the two bits of the first number of a sub-block in q2_k, q3_k and q6_k (16 numbers each):
/// the byte, which holds two bits of each of four numbers, and the shift within it. Each half of the block
/// has its own 32 bytes.
constexpr std::pair<std::size_t, unsigned> two_bits_of(std::size_t part) {
  return {part / 8 * 32 + part % 2 * short_part, static_cast<unsigned>(part % 8 / 2 * 2)};
}

// Super-blocks of 256 numbers, whose sub-blocks of 16 have their own scales, quantised relative to the
// super-block's.

void read_q2_k(const std::byte* from, const LevelsOut& to) {
  const std::byte* const bits = from + n_short_parts;
  const std::byte* const factors = bits + 64;
  const float d = half_at(factors);
  const float d_min = half_at(factors + half_bytes);
  for (std::size_t p = 0; p < n_short_parts; ++p) {
    const unsigned own = byte_at(from, p);
    to.scales[p] = d * as_float(own & low_four);
    to.offsets[p] = -(d_min * as_float(own >> 4U));
    const auto [first, shift] = two_bits_of(p);
    std::int8_t* const __restrict levels = to.levels + p * short_part;
    for (std::size_t l = 0; l < short_part; ++l) {
      levels[l] = level_of(byte_at(bits, first + l) >> shift & 3U);
    }
  }
}

void read_q3_k(const std::byte* from, const LevelsOut& to) {
  constexpr int middle_scale = 32;
  const std::byte* const third_bits = from;
  const std::byte* const bits = from + 32;
  const std::byte* const scales = bits + 64;
  const float d = half_at(scales + 12);
  for (std::size_t p = 0; p < n_short_parts; ++p) {
    // Four bits of each scale are in the first eight bytes, the other two in the last four.
    const unsigned lower = p < 8 ? byte_at(scales, p) & low_four : byte_at(scales, p - 8) >> 4U;
    const unsigned upper = byte_at(scales, 8 + p % 4) >> (p / 4 * 2) & 3U;
    to.scales[p] = d * static_cast<float>(level_of(lower | upper << 4U, middle_scale));
    const auto [first, shift] = two_bits_of(p);
    std::int8_t* const __restrict levels = to.levels + p * short_part;
    for (std::size_t l = 0; l < short_part; ++l) {
      const bool has_third = (byte_at(third_bits, first % 32 + l) >> p / 2 & 1U) != 0;
      levels[l] = level_of(byte_at(bits, first + l) >> shift & 3U, has_third ? 0 : 4);
    }
  }
}

void read_q6_k(const std::byte* from, const LevelsOut& to) {
  constexpr std::size_t pair = 2 * short_part;
  constexpr int middle = 32;
  const std::byte* const upper_bits = from + 128;
  const std::byte* const scales = upper_bits + 64;
  const float d = half_at(scales + n_short_parts);
  for (std::size_t p = 0; p < n_short_parts; ++p) to.scales[p] = d * static_cast<float>(signed_at(scales, p));
  // Two sub-blocks have their bits in the same place of adjacent bytes.
  for (std::size_t p = 0; p < n_short_parts; p += 2) {
    const auto [first, shift] = two_bits_of(p);
    const std::size_t lower_first = p / 8 * 64 + p % 4 * short_part;
    const unsigned lower_shift = p % 8 < 4 ? 0 : 4;
    std::int8_t* const __restrict levels = to.levels + p * short_part;
    for (std::size_t l = 0; l < pair; ++l) {
      const unsigned lower = byte_at(from, lower_first + l) >> lower_shift & low_four;
      const unsigned upper = byte_at(upper_bits, first + l) >> shift & 3U;
      levels[l] = level_of(lower | upper << 4U, middle);
    }
  }
}

/// The levels that 4 bits stand for.
using Steps = std::array<std::int8_t, 16>;
/// Those of iq4_nl.
constexpr Steps uneven_steps{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
/// Those of mxfp4: twice the numbers of the format E2M1 (OCP Microscaling Formats 1.0).
constexpr Steps fp4_steps{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// A block of 32 numbers: a scale, and a signed byte per number.
void read_q8_0(const std::byte* from, const LevelsOut& to) {
  *to.scales = half_at(from);
  std::memcpy(to.levels, from + half_bytes, 32);
}

/// The levels of 32 numbers, of which byte j holds the steps of numbers j and j + 16.
void read_steps(const Steps& steps, const std::byte* from, std::int8_t* to) {
  constexpr std::size_t n_bytes = 16;
  for (std::size_t j = 0; j < n_bytes; ++j) {
    const unsigned byte = byte_at(from, j);
    to[j] = steps[byte & low_four];
    to[j + n_bytes] = steps[byte >> 4U];
  }
}

/// A block of 32 numbers: a scale, and 4 bits per number that index 16 non-uniform levels.
void read_iq4_nl(const std::byte* from, const LevelsOut& to) {
  *to.scales = half_at(from);
  read_steps(uneven_steps, from + half_bytes, to.levels);
}

/// 256 numbers, whose sub-blocks of 32 have their own scales, with the levels of iq4_nl.
void read_iq4_xs(const std::byte* from, const LevelsOut& to) {
  constexpr std::size_t n_parts = 8, part = 32;
  constexpr int middle = 32;
  const std::byte* const lower_scales = from + 2 * half_bytes;
  const std::byte* const bits = lower_scales + n_parts / 2;
  const unsigned upper_scales = byte_at(from, half_bytes) | byte_at(from, half_bytes + 1) << 8U;
  for (std::size_t p = 0; p < n_parts; ++p) {
    const unsigned scale =
        (byte_at(lower_scales, p / 2) >> p % 2 * 4 & low_four) | (upper_scales >> 2 * p & 3U) << 4U;
    to.scales[p] = half_at(from) * static_cast<float>(level_of(scale, middle));
    read_steps(uneven_steps, bits + p * part / 2, to.levels + p * part);
  }
}

constexpr float fp4_scale = 0.5F;  // The steps are twice the numbers.

/// x times 2^(e − 127), for the exponent e of a block.
float times_power(float x, unsigned e) {
  return std::ldexp(x, static_cast<int>(e) - 127);
}

/// A block of 32 numbers: an exponent, and 4 bits per number.
void read_mxfp4(const std::byte* from, const LevelsOut& to) {
  *to.scales = times_power(fp4_scale, byte_at(from, 0));
  read_steps(fp4_steps, from + 1, to.levels);
}

void copy_floats(const std::byte* from, std::size_t n, float* to) {
  if (n > 0) std::memcpy(to, from, n * sizeof(float));
}

constexpr std::size_t max_block_numbers = 256;

constexpr std::size_t fp4_numbers = 32;

/// Two numbers in a byte, the lower bits first; the exponent is stored elsewhere.
void read_fp4(const std::byte* from, const LevelsOut& to) {
  *to.scales = fp4_scale;
  for (std::size_t i = 0; i < fp4_numbers; ++i)
    to.levels[i] = fp4_steps[byte_at(from, i / 2) >> 4 * (i % 2) & low_four];
}

/// The exponent of the block of a number.
unsigned exponent_at(const TensorRef& tensor, std::size_t index) {
  return static_cast<unsigned char>(tensor.exponents[index / fp4_numbers]);
}

struct TypeRecord {
  std::string_view name;
  BlockSize block;
  /// Converts blocks to floats. Null for types that are not weights.
  void (*to_floats)(const std::byte* from, std::size_t n_blocks, float* to) = nullptr;
  std::size_t group = 0;  ///< Numbers with the same scale; 0 for types without levels.
  /// Reads a block.
  void (*to_levels)(const std::byte* from, const LevelsOut& to) = nullptr;
};

/// The record of a ggml type with blocks of so many numbers in so many bytes.
template <void (*read)(const std::byte* from, const LevelsOut& to), std::size_t numbers, std::size_t bytes,
          std::size_t group, bool has_offset>
constexpr TypeRecord blocks(std::string_view name) {
  return {name,
          {numbers, bytes},
          [](const std::byte* from, std::size_t n_blocks, float* to) {
            std::int8_t levels[numbers];
            float scales[numbers / group], offsets[numbers / group];
            for (; n_blocks > 0; --n_blocks, from += bytes) {
              read(from, {levels, scales, offsets});
              for (std::size_t part = 0; part < numbers / group; ++part) {
                for (std::size_t i = 0; i < group; ++i) {
                  const float number = scales[part] * static_cast<float>(levels[part * group + i]);
                  *to++ = has_offset ? number + offsets[part] : number;
                }
              }
            }
          },
          group,
          read};
}

/// The record of a ggml type whose blocks have one scale and, if `has_offset`, one offset.
template <void (*read)(const std::byte* from, const LevelsOut& to), std::size_t bytes,
          bool has_offset = false>
constexpr TypeRecord small_blocks(std::string_view name) {
  return blocks<read, 32, bytes, 32, has_offset>(name);
}

constexpr auto types = make_enum_table<NumberType, TypeRecord>(
    TypeRecord{"F32", {1, 4}, copy_floats}, TypeRecord{"F16", {1, 2}, float16_to_float},
    TypeRecord{"BF16", {1, 2}, bfloat16_to_float}, TypeRecord{"F64", {1, 8}}, TypeRecord{"I64", {1, 8}},
    TypeRecord{"I32", {1, 4}}, TypeRecord{"I16", {1, 2}}, TypeRecord{"I8", {1, 1}}, TypeRecord{"U64", {1, 8}},
    TypeRecord{"U32", {1, 4}}, TypeRecord{"U16", {1, 2}}, TypeRecord{"U8", {1, 1}},
    TypeRecord{"BOOL", {1, 1}}, TypeRecord{"F8_E4M3", {1, 1}}, TypeRecord{"F8_E5M2", {1, 1}},
    small_blocks<read_plain_block<4, false>, 18>("Q4_0"),
    small_blocks<read_plain_block<4, true>, 20, true>("Q4_1"),
    small_blocks<read_plain_block<5, false>, 22>("Q5_0"),
    small_blocks<read_plain_block<5, true>, 24, true>("Q5_1"), small_blocks<read_q8_0, 34>("Q8_0"),
    blocks<read_q2_k, 256, 84, 16, true>("Q2_K"), blocks<read_q3_k, 256, 110, 16, false>("Q3_K"),
    blocks<read_scaled_block<false>, 256, 144, 32, true>("Q4_K"),
    blocks<read_scaled_block<true>, 256, 176, 32, true>("Q5_K"),
    blocks<read_q6_k, 256, 210, 16, false>("Q6_K"), small_blocks<read_iq4_nl, 18>("IQ4_NL"),
    blocks<read_iq4_xs, 256, 136, 32, false>("IQ4_XS"), small_blocks<read_mxfp4, 17>("MXFP4"),
    small_blocks<read_fp4, fp4_numbers / 2>("MXFP4"));

const TypeRecord& record_of(NumberType type) {
  return types[static_cast<std::size_t>(type)];
}

/// The storage index of a row-major index.
std::size_t place_of(const TensorRef& tensor, std::size_t index) {
  std::size_t place = 0;
  for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {
    place += index % tensor.shape[axis] * tensor.strides[axis];
    index /= tensor.shape[axis];
  }
  return place;
}

/// The block with this index.
const std::byte* block_at(const TensorRef& tensor, std::size_t index) {
  return reinterpret_cast<const std::byte*>(tensor.bytes.data()) + index * bytes_of(tensor.type);
}

/// Reads some of the numbers of a block.
void read_part_of_block(const TensorRef& tensor, std::size_t block, std::size_t first, std::size_t n,
                        float* to) {
  std::array<float, max_block_numbers> all{};
  record_of(tensor.type).to_floats(block_at(tensor, block), 1, all.data());
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(first), n, to);
}

/// Reads contiguous numbers: entire blocks, with partial blocks at the ends.
void read_blocks(const TensorRef& tensor, std::size_t first, std::size_t n, float* to) {
  const std::size_t in_block = block_of(tensor.type).numbers;
  const std::size_t before = std::min((in_block - first % in_block) % in_block, n);
  if (before > 0) read_part_of_block(tensor, first / in_block, first % in_block, before, to);
  const std::size_t n_whole = (n - before) / in_block;
  const std::size_t whole = (first + before) / in_block;
  record_of(tensor.type).to_floats(block_at(tensor, whole), n_whole, to + before);
  const std::size_t done = before + n_whole * in_block;
  if (done < n) read_part_of_block(tensor, whole + n_whole, 0, n - done, to + done);
}

void read_stored(const TensorRef& tensor, std::size_t first, std::size_t n, float* to) {
  if (tensor.strides.empty()) {
    read_blocks(tensor, first, n, to);
    for (std::size_t i = 0; i < n && !tensor.exponents.empty(); ++i)
      to[i] = times_power(to[i], exponent_at(tensor, first + i));
    return;
  }
  for (std::size_t i = 0; i < n; ++i)
    record_of(tensor.type).to_floats(block_at(tensor, place_of(tensor, first + i)), 1, to + i);
}

/// Adds the numbers [first, first + n) of an update to a matrix.
void add_change(const LowRankUpdate& change, std::size_t n_columns, std::size_t first, std::size_t n,
                float* to) {
  for (const std::size_t end = first + n; first < end;) {
    const std::size_t column = first % n_columns;
    const std::size_t some = std::min(n_columns - column, end - first);
    for (std::size_t k = 0; k < change.rank; ++k) {
      const float factor = change.rows[first / n_columns * change.rank + k];
      const float* const from = change.columns.data() + k * n_columns + column;
      for (std::size_t i = 0; i < some; ++i) to[i] += factor * from[i];
    }
    for (std::size_t i = 0; i < some && !change.row_factors.empty(); ++i)
      to[i] *= change.row_factors[first / n_columns];
    for (std::size_t i = 0; i < some && !change.column_factors.empty(); ++i)
      to[i] *= change.column_factors[column + i];
    first += some;
    to += some;
  }
}

}  // namespace

std::string_view name_of(NumberType type) {
  return record_of(type).name;
}

std::optional<NumberType> parse_number_type(std::string_view name) {
  const auto* const found = std::ranges::find(types, name, &TypeRecord::name);
  if (found == types.end() || found->block.numbers > 1) return std::nullopt;
  return static_cast<NumberType>(found - types.begin());
}

BlockSize block_of(NumberType type) {
  return record_of(type).block;
}

bool is_weight(NumberType type) {
  return record_of(type).to_floats != nullptr;
}

std::size_t TensorRef::size() const {
  std::size_t n = 1;
  for (const std::size_t side : shape) n *= side;
  return n;
}

void read_numbers(const TensorRef& tensor, std::size_t first, std::size_t n, float* to) {
  read_stored(tensor, first, n, to);
  if (tensor.change) add_change(*tensor.change, tensor.shape.back(), first, n, to);
}

std::size_t group_of_levels(const TensorRef& tensor) {
  return tensor.strides.empty() && !tensor.change ? record_of(tensor.type).group : 0;
}

void read_levels(const TensorRef& tensor, std::size_t first, std::size_t n, LevelsOut to) {
  const TypeRecord& type = record_of(tensor.type);
  const std::size_t in_block = type.block.numbers;
  for (std::size_t i = 0; i < n / in_block; ++i) {
    const std::size_t block = first / in_block + i;
    type.to_levels(block_at(tensor, block), to);
    if (!tensor.exponents.empty())
      *to.scales = times_power(*to.scales, exponent_at(tensor, block * in_block));
    to.levels += in_block;
    to.scales += in_block / type.group;
    to.offsets += in_block / type.group;
  }
}

const float* floats_of(const TensorRef& tensor) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
  if (tensor.type != NumberType::f32 || !tensor.strides.empty() || tensor.change ||
      address % alignof(float) != 0)
    return nullptr;
  return reinterpret_cast<const float*>(tensor.bytes.data());
}

}  // namespace headscope
