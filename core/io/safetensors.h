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

/// The tensors of a file, in file order, which refer to its bytes and may be of any NumberType.
struct SafetensorsView {
  std::vector<TensorRef> tensors;
  TensorMetadata metadata;
};
/// Parses and validates the header of a file. Error messages do not name the file.
Result<SafetensorsView> view_safetensors(std::string_view file);

/// Whether a file begins like a safetensors file: with the length of a header that is a JSON object.
bool begins_as_safetensors(std::string_view begin);

}  // namespace headscope
