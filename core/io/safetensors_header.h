#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/safetensors.h"
#include "core/io/tensor_ref.h"

namespace headscope {

/// The byte range of a tensor, relative to the end of the header.
struct TensorEntry {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t begin = 0;
  std::size_t end = 0;
  NumberType type = NumberType::f32;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> entries;  ///< in file order, contiguous from 0
  TensorMetadata metadata;
};

inline constexpr std::size_t safetensors_length_bytes = 8;

/// The length of the JSON, from the first 8 bytes of a file.
std::size_t safetensors_header_length(std::string_view first_bytes);

/// Parses a header and validates it against the size of the data. Tensors may be of any NumberType. Error
/// messages do not name the file.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, std::size_t data_bytes);

/// The JSON and the data of a file.
struct SafetensorsParts {
  std::string_view json;
  std::string_view data;
};
/// Splits a file. Error messages do not name it.
Result<SafetensorsParts> safetensors_parts(std::string_view file);

/// Serialises the length and the JSON of entries with known byte ranges, padded so that the data is aligned
/// to 8 bytes.
std::string safetensors_header_bytes(const SafetensorsHeader& header);

}  // namespace headscope
