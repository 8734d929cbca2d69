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

/// A tensor to write; does not own its numbers.
struct TensorView {
  std::string name;
  std::vector<std::size_t> shape;  ///< multiplies to values.rows · values.cols, where these are given
  MatrixView values;
  NumberStream stream = nullptr;  ///< instead of `values`: as many numbers as the shape multiplies to
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
  /// The tensor of this name; null if there is none.
  const Tensor* find(std::string_view name) const;
};

/// Writes F32 tensors in the given order (8 bytes of header length, JSON padded to a multiple of 8 with
/// spaces, data). Numbers go to the file straight from their views; a failure leaves nothing behind. Names
/// must be unique, not "__metadata__", and shapes must match their views: a usage error otherwise.
Result<void> write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                               const TensorMetadata& metadata);

/// Reads F32 tensors. Other types, and offsets or shapes that overlap, leave holes or exceed the file are
/// errors that name the tensor.
Result<Safetensors> read_safetensors(const std::filesystem::path& path);
/// The same from bytes; `name` is what messages call them.
Result<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name);

}  // namespace headscope
