#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/safetensors.h"
#include "core/io/tensor_source.h"

namespace headscope {

/// The place of a tensor's bytes, relative to the end of the header.
struct TensorEntry {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t begin = 0;
  std::size_t end = 0;
  NumberType type = NumberType::f32;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> entries;  ///< in the order of their data, which begins at 0 and has no holes
  TensorMetadata metadata;
};

inline constexpr std::size_t safetensors_length_bytes = 8;

/// Reads the length of the JSON from the first 8 bytes of a file.
std::size_t safetensors_header_length(std::string_view first_bytes);

/// Checks everything that a header claims against the size of the data that follows it. Tensors may be of any
/// NumberType. Error messages do not name the file.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, std::size_t data_bytes);

/// The JSON and the data of a whole file.
struct SafetensorsParts {
  std::string_view json;
  std::string_view data;
};
/// Splits the bytes of a file. Error messages do not name the file.
Result<SafetensorsParts> safetensors_parts(std::string_view file);

/// Returns the length and the JSON for entries whose places are known, padded to let the data begin at a
/// multiple of 8.
std::string safetensors_header_bytes(const SafetensorsHeader& header);

}  // namespace headscope
