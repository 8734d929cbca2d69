#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/ggml_blocks.h"

namespace headscope {

/// How a file stores the numbers of a tensor. Weights have one of the first three types, one of ggml's blocks
/// of quantised numbers, or fp4. The others cannot be read; only their names and
/// sizes are known.
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
  fp4  ///< 32 numbers of 4 bits, whose common factors are in TensorSource::exponents
};

/// The name of a type in safetensors or in ggml, such as "F32" and "Q4_K".
std::string_view name_of(NumberType type);
/// The type that has this name in safetensors.
std::optional<NumberType> number_type_named(std::string_view name);
/// How many numbers are stored together in a block, and in how many bytes. A type without blocks has one
/// number in each.
BlockSize block_of(NumberType type);
inline std::size_t bytes_of(NumberType type) {
  return block_of(type).bytes;
}
/// Whether weights may have this type, so that read_numbers() converts it.
bool is_weight(NumberType type);

/// What a LoRA adapter adds to a matrix [rows, columns]: the product of two narrow ones, [rows, rank] and
/// [rank, columns] (Hu et al. 2021, section 4.1).
struct LowRankChange {
  std::size_t rank = 0;
  std::vector<float> rows, columns;
};

/// A tensor as it is stored in a file. It does not own its bytes.
struct TensorSource {
  std::string name;
  std::vector<std::size_t> shape;
  NumberType type = NumberType::f32;
  /// The stored bytes from the first number on, at any alignment.
  std::string_view bytes;
  /// For each axis, the distance between consecutive indices, counted in numbers. Empty if the numbers are
  /// stored row after row, as blocks always are.
  std::vector<std::size_t> strides;
  /// With fp4, a byte e for each block, whose numbers are multiplied by 2^(e − 127).
  std::string_view exponents = {};
  /// What read_numbers() adds to the stored numbers. Null if nothing.
  std::shared_ptr<const LowRankChange> change = {};

  std::size_t size() const;  ///< the number of elements
  bool is_weight() const { return headscope::is_weight(type); }
};

/// Converts the numbers first … first + n − 1 of a tensor in row-major order to floats. The tensor must have
/// a type for weights and contain all these numbers.
void read_numbers(const TensorSource& tensor, std::size_t first, std::size_t n, float* to);

/// A pointer to the stored numbers if they are floats, row after row and aligned. Null otherwise.
const float* floats_of(const TensorSource& tensor);

}  // namespace headscope
