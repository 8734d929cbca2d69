#include "core/io/tensor_source.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/enum_count.h"
#include "core/tensor/half_floats.h"

namespace headscope {
namespace {

struct TypeRecord {
  std::string_view name;
  std::size_t bytes;
};

constexpr auto types = one_for_each<NumberType, TypeRecord>(
    TypeRecord{"F32", 4}, TypeRecord{"F16", 2}, TypeRecord{"BF16", 2}, TypeRecord{"F64", 8},
    TypeRecord{"I64", 8}, TypeRecord{"I32", 4}, TypeRecord{"I16", 2}, TypeRecord{"I8", 1},
    TypeRecord{"U64", 8}, TypeRecord{"U32", 4}, TypeRecord{"U16", 2}, TypeRecord{"U8", 1},
    TypeRecord{"BOOL", 1}, TypeRecord{"F8_E4M3", 1}, TypeRecord{"F8_E5M2", 1});

const TypeRecord& record_of(NumberType type) {
  return types[static_cast<std::size_t>(type)];
}

void convert(NumberType type, const std::byte* from, std::size_t n, float* to) {
  switch (type) {
    case NumberType::f16:
      return float16_to_float(from, n, to);
    case NumberType::bf16:
      return bfloat16_to_float(from, n, to);
    default:
      if (n > 0) std::memcpy(to, from, n * sizeof(float));
  }
}

/// The place in the storage of the number with this index in row-major order.
std::size_t place_of(const TensorSource& tensor, std::size_t index) {
  std::size_t place = 0;
  for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {
    place += index % tensor.shape[axis] * tensor.strides[axis];
    index /= tensor.shape[axis];
  }
  return place;
}

const std::byte* bytes_at(const TensorSource& tensor, std::size_t place) {
  return reinterpret_cast<const std::byte*>(tensor.bytes.data()) + place * bytes_of(tensor.type);
}

}  // namespace

std::string_view name_of(NumberType type) {
  return record_of(type).name;
}

std::optional<NumberType> number_type_named(std::string_view name) {
  const auto* const found = std::ranges::find(types, name, &TypeRecord::name);
  if (found == types.end()) return std::nullopt;
  return static_cast<NumberType>(found - types.begin());
}

std::size_t bytes_of(NumberType type) {
  return record_of(type).bytes;
}

std::size_t TensorSource::size() const {
  std::size_t n = 1;
  for (const std::size_t side : shape) n *= side;
  return n;
}

void read_numbers(const TensorSource& tensor, std::size_t first, std::size_t n, float* to) {
  if (tensor.strides.empty()) return convert(tensor.type, bytes_at(tensor, first), n, to);
  for (std::size_t i = 0; i < n; ++i)
    convert(tensor.type, bytes_at(tensor, place_of(tensor, first + i)), 1, to + i);
}

const float* floats_of(const TensorSource& tensor) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
  if (tensor.type != NumberType::f32 || !tensor.strides.empty() || address % alignof(float) != 0)
    return nullptr;
  return reinterpret_cast<const float*>(tensor.bytes.data());
}

}  // namespace headscope
