#include "core/io/tensor_ref.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/enum_count.h"
#include "core/tensor/floats.h"

namespace headscope {
namespace {

void copy_floats(const std::byte* from, std::size_t n, float* to) {
  if (n > 0) std::memcpy(to, from, n * sizeof(float));
}

constexpr std::size_t max_block_numbers = 256;

constexpr std::size_t fp4_numbers = 32;

/// Two numbers in a byte, the lower bits first.
void fp4_to_floats(const std::byte* from, std::size_t n_blocks, float* to) {
  constexpr std::byte low{0x0F};
  for (std::size_t i = 0; i < n_blocks * fp4_numbers / 2; ++i) {
    *to++ = fp4_steps[std::to_integer<std::size_t>(from[i] & low)];
    *to++ = fp4_steps[std::to_integer<std::size_t>(from[i] >> 4U)];
  }
}

struct TypeRecord {
  std::string_view name;
  BlockSize block;
  /// Converts blocks to floats. Null for types that are not weights.
  void (*to_floats)(const std::byte* from, std::size_t n_blocks, float* to) = nullptr;
};

constexpr auto types = make_enum_table<NumberType, TypeRecord>(
    TypeRecord{"F32", {1, 4}, copy_floats}, TypeRecord{"F16", {1, 2}, float16_to_float},
    TypeRecord{"BF16", {1, 2}, bfloat16_to_float}, TypeRecord{"F64", {1, 8}}, TypeRecord{"I64", {1, 8}},
    TypeRecord{"I32", {1, 4}}, TypeRecord{"I16", {1, 2}}, TypeRecord{"I8", {1, 1}}, TypeRecord{"U64", {1, 8}},
    TypeRecord{"U32", {1, 4}}, TypeRecord{"U16", {1, 2}}, TypeRecord{"U8", {1, 1}},
    TypeRecord{"BOOL", {1, 1}}, TypeRecord{"F8_E4M3", {1, 1}}, TypeRecord{"F8_E5M2", {1, 1}},
    TypeRecord{"Q4_0", q4_0_block, q4_0_to_floats}, TypeRecord{"Q4_1", q4_1_block, q4_1_to_floats},
    TypeRecord{"Q5_0", q5_0_block, q5_0_to_floats}, TypeRecord{"Q5_1", q5_1_block, q5_1_to_floats},
    TypeRecord{"Q8_0", q8_0_block, q8_0_to_floats}, TypeRecord{"Q2_K", q2_k_block, q2_k_to_floats},
    TypeRecord{"Q3_K", q3_k_block, q3_k_to_floats}, TypeRecord{"Q4_K", q4_k_block, q4_k_to_floats},
    TypeRecord{"Q5_K", q5_k_block, q5_k_to_floats}, TypeRecord{"Q6_K", q6_k_block, q6_k_to_floats},
    TypeRecord{"IQ4_NL", iq4_nl_block, iq4_nl_to_floats},
    TypeRecord{"IQ4_XS", iq4_xs_block, iq4_xs_to_floats}, TypeRecord{"MXFP4", mxfp4_block, mxfp4_to_floats},
    TypeRecord{"MXFP4", {fp4_numbers, fp4_numbers / 2}, fp4_to_floats});

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
    constexpr int bias = 127;
    for (std::size_t i = 0; i < n && !tensor.exponents.empty(); ++i)
      to[i] =
          std::ldexp(to[i], static_cast<unsigned char>(tensor.exponents[(first + i) / fp4_numbers]) - bias);
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

const float* floats_of(const TensorRef& tensor) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
  if (tensor.type != NumberType::f32 || !tensor.strides.empty() || tensor.change ||
      address % alignof(float) != 0)
    return nullptr;
  return reinterpret_cast<const float*>(tensor.bytes.data());
}

}  // namespace headscope
