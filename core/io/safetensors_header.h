#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/safetensors.h"
#include "core/io/tensor_source.h"

namespace headscope {

/// Where a tensor's bytes lie after the header.
struct TensorEntry {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t begin = 0;
  std::size_t end = 0;
  NumberType type = NumberType::f32;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> entries;  ///< in the order of their data, without holes from 0 on
  TensorMetadata metadata;
};

inline constexpr std::size_t safetensors_length_bytes = 8;
/// A tenth of the format's own limit, and still more than any model has: its JSON takes ten times as much
/// memory.
inline constexpr std::size_t max_safetensors_header = std::size_t{10} << 20U;

/// The first 8 bytes: the length of the JSON that follows.
std::size_t safetensors_header_length(std::string_view first_bytes);

/// Checks everything that a header claims against the bytes that follow it; an error does not name the file.
/// Tensors may be of any NumberType.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, std::size_t data_bytes);

/// The bytes of a whole file as its JSON and its data; an error does not name the file.
struct SafetensorsParts {
  std::string_view json;
  std::string_view data;
};
Result<SafetensorsParts> safetensors_parts(std::string_view file);

/// Length and JSON for entries whose places are known, padded so that the data begins at a multiple of 8.
std::string safetensors_header_bytes(const SafetensorsHeader& header);

}  // namespace headscope
