#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// How a file stores the numbers of a tensor. Weights are of the first three; the others are only known by
/// name and size.
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
  f8_e5m2
};

/// "F32", as safetensors calls it.
std::string_view name_of(NumberType type);
std::optional<NumberType> number_type_named(std::string_view name);
std::size_t bytes_of(NumberType type);
/// Whether weights may be of this type.
inline bool is_weight(NumberType type) {
  return type == NumberType::f32 || type == NumberType::f16 || type == NumberType::bf16;
}

/// A tensor where it lies in a file. Does not own its bytes.
struct TensorSource {
  std::string name;
  std::vector<std::size_t> shape;
  NumberType type = NumberType::f32;
  /// Its storage from the first number on; at any address.
  std::string_view bytes;
  /// Numbers from one index of an axis to the next, where the numbers do not lie row after row; else empty.
  std::vector<std::size_t> strides;

  std::size_t size() const;  ///< how many numbers
  bool is_weight() const { return headscope::is_weight(type); }
};

/// Numbers first … first + n − 1 of a tensor in row-major order, as floats. Its type must be that of weights,
/// and the numbers within its size.
void read_numbers(const TensorSource& tensor, std::size_t first, std::size_t n, float* to);

/// The numbers as they lie, where they are floats row after row at an address for floats; null elsewhere.
const float* floats_of(const TensorSource& tensor);

}  // namespace headscope
