#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/number_stream.h"
#include "core/io/tensor_ref.h"
#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

using TensorMetadata = std::map<std::string, std::string>;

/// A tensor to write; non-owning.
struct TensorView {
  std::string name;
  std::vector<std::size_t> shape;  ///< must match `values`, unless `stream` is used
  MatrixView values;
  /// Used instead of `values` if set.
  NumberStream stream = nullptr;
  bool is_half = false;  ///< Whether to write F16, rounded to nearest
};

/// A tensor read from a file.
struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> values;  ///< row-major
};

struct Safetensors {
  std::vector<Tensor> tensors;  ///< in file order
  TensorMetadata metadata;
  /// Null if there is no tensor of this name.
  const Tensor* find(std::string_view name) const;
};

/// Writes F32 and F16 tensors in the given order, atomically and without copying. The JSON header is padded
/// to a multiple of 8. Returns a usage error if a name is not unique or is "__metadata__", or if a shape does
/// not match its numbers.
Result<void> write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                               const TensorMetadata& metadata);

/// Reads F32 tensors. Errors (which name the tensor): other types, and data that overlaps, leaves gaps or
/// exceeds the file.
Result<Safetensors> read_safetensors(const std::filesystem::path& path);
/// The same for bytes in memory, called `name` in messages.
Result<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name);

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
