#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/number_stream.h"
#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

using TensorMetadata = std::map<std::string, std::string>;

/// A tensor to write. It does not own its numbers.
struct TensorView {
  std::string name;
  std::vector<std::size_t> shape;  ///< must match the size of `values`, unless `stream` is used
  MatrixView values;
  /// Used instead of `values`; yields as many numbers as the shape has elements.
  NumberStream stream = nullptr;
  bool is_half = false;  ///< Written as F16, rounded to the nearest number.
};

/// A tensor that was read.
struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> values;  ///< row-major
};

struct Safetensors {
  std::vector<Tensor> tensors;  ///< in the order of their data
  TensorMetadata metadata;
  /// Null if there is no tensor of this name.
  const Tensor* find(std::string_view name) const;
};

/// Writes F32 and F16 tensors in the given order (8 bytes of header length, JSON padded with spaces to a
/// multiple of 8, data). The numbers go to the file straight from their views, and a failure leaves nothing
/// behind. A usage error results if a name is not unique or is "__metadata__", or if a shape does not match
/// its numbers.
Result<void> write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                               const TensorMetadata& metadata);

/// Reads F32 tensors. Errors, which name the tensor: other types, and offsets or shapes that overlap, leave
/// holes or exceed the file.
Result<Safetensors> read_safetensors(const std::filesystem::path& path);
/// The same for bytes in memory. Messages call them `name`.
Result<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name);

}  // namespace headscope
