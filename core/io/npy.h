#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/number_stream.h"
#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// Element types of .npy files that are read; numpy's names in little-endian order.
enum class NpyType {
  boolean,  ///< |b1
  int8,     ///< |i1
  uint8,    ///< |u1
  int16,    ///< <i2
  uint16,   ///< <u2
  int32,    ///< <i4
  uint32,   ///< <u4
  int64,    ///< <i8
  uint64,   ///< <u8
  float32,  ///< <f4
  float64   ///< <f8
};

/// An array as a .npy file holds it, in row-major order.
struct NpyArray {
  NpyType type = NpyType::float32;
  std::vector<int> shape;     ///< empty for a single number
  std::vector<float> values;  ///< as many as the sizes multiply to; wider types are rounded to float
};

/// Reads NumPy's format 1.0, 2.0 and 3.0 (numpy.lib.format). Arrays in Fortran order are transposed. Other
/// types, big-endian files, truncated files, shapes that the file cannot hold and more than
/// `most_npy_numbers` are errors.
inline constexpr std::size_t most_npy_numbers = std::size_t{1} << 26U;  ///< a map of 8,192 × 8,192
Result<NpyArray> read_npy(const std::filesystem::path& path);
/// The same from bytes; `name` is what messages call them.
Result<NpyArray> parse_npy(std::string_view bytes, std::string_view name);

/// A matrix as format 1.0, <f4, shape (rows, cols).
std::string npy_bytes(const MatrixView& values);
Result<void> write_npy(const std::filesystem::path& path, const MatrixView& values);
/// An array of any shape, of as many numbers as that multiplies to.
Result<void> write_npy(const std::filesystem::path& path, const std::vector<std::size_t>& shape,
                       const NumberStream& numbers);

/// "float32", as numpy calls it.
std::string_view name_of(NpyType type);

}  // namespace headscope
