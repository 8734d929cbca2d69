#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/floats.h"

namespace headscope {

/// The number type of a stored tensor. Weights have one of the first three types, a quantised ggml type, or
/// fp4; the others are recognised but cannot be read.
enum class NumberType {
  f32,
  f16,
  bf16,
  f64,
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  boolean,
  f8_e4m3,
  f8_e5m2,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  iq4_nl,
  iq4_xs,
  mxfp4,
  fp4  ///< blocks of 32 4-bit numbers with shared exponents in TensorRef::exponents
};

/// The size of a block: how many numbers in how many bytes.
struct BlockSize {
  std::size_t numbers = 1;
  std::size_t bytes = 0;
};

/// The name of a type in safetensors or ggml: "F32", "Q4_K".
std::string_view name_of(NumberType type);
/// Parses the name of a type in safetensors.
std::optional<NumberType> parse_number_type(std::string_view name);
/// The block size of a type; types without blocks have one number per block.
BlockSize block_of(NumberType type);
inline std::size_t bytes_of(NumberType type) {
  return block_of(type).bytes;
}
/// Whether read_numbers() can convert this type.
bool is_weight(NumberType type);

/// The low-rank update of a LoRA adapter: the product of [rows, rank] and [rank, columns] (Hu et al. 2021,
/// section 4.1).
struct LowRankUpdate {
  std::size_t rank = 0;
  std::vector<float> rows, columns;
  /// A factor for each row, or each column, of the sum. Empty for no factors.
  std::vector<float> row_factors = {}, column_factors = {};
};

/// A tensor stored in a file; does not own its bytes.
struct TensorRef {
  std::string name;
  std::vector<std::size_t> shape;
  NumberType type = NumberType::f32;
  /// The stored bytes, at any alignment.
  std::string_view bytes;
  /// The stride of each axis in numbers. Empty if row-major, as blocks always are.
  std::vector<std::size_t> strides;
  /// For fp4, a byte e per block, which scales its numbers by 2^(e − 127).
  std::string_view exponents = {};
  /// Added by read_numbers(), or null.
  std::shared_ptr<const LowRankUpdate> change = {};

  std::size_t size() const;  ///< the number of elements
  bool is_weight() const { return headscope::is_weight(type); }
};

/// The product of the sizes, none of which is negative. Empty if it exceeds `limit`.
template <class Size>
std::optional<std::size_t> count_elements(const std::vector<Size>& shape, std::size_t limit) {
  if (std::ranges::find(shape, Size{0}) != shape.end()) return 0;
  std::size_t count = 1;
  for (const Size size : shape) {
    if (count > limit / static_cast<std::size_t>(size)) return std::nullopt;
    count *= static_cast<std::size_t>(size);
  }
  return count <= limit ? std::optional(count) : std::nullopt;
}

/// Converts the numbers [first, first + n), in row-major order, to floats. Requires is_weight() and that the
/// range is valid.
void read_numbers(const TensorRef& tensor, std::size_t first, std::size_t n, float* to);

/// How many numbers share a scale and an offset, if the tensor consists of levels: 16 or 32, otherwise 0.
std::size_t group_of_levels(const TensorRef& tensor);
/// Reads the levels of the numbers [first, first + n), which must be whole blocks of a tensor for which
/// group_of_levels() is not 0.
void read_levels(const TensorRef& tensor, std::size_t first, std::size_t n, LevelsOut to);

/// The stored numbers if they are aligned, row-major floats. Null otherwise.
const float* floats_of(const TensorRef& tensor);

}  // namespace headscope
