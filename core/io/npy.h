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

/// An array as a .npy file holds it, in row-major order.
struct NpyArray {
  std::string_view type = "float32";  ///< NumPy's name: bool, int8 … uint64, float32 or float64
  std::vector<int> shape;             ///< empty for a single number
  std::vector<float> values;          ///< one for each element of the shape; wider types are rounded to float
};

/// Reads NumPy's formats 1.0, 2.0 and 3.0 (numpy.lib.format). Arrays in Fortran order are transposed. Errors:
/// other types, big-endian files, truncated files, shapes that need more data than the file has, and more
/// than `most_npy_numbers` numbers.
inline constexpr std::size_t most_npy_numbers = std::size_t{1} << 26U;  ///< a map of 8,192 × 8,192
Result<NpyArray> read_npy(const std::filesystem::path& path);
/// The same for bytes in memory. Messages call them `name`.
Result<NpyArray> parse_npy(std::string_view bytes, std::string_view name);

/// Writes a matrix in format 1.0 with type <f4 and shape (rows, cols).
std::string npy_bytes(const MatrixView& values);
Result<void> write_npy(const std::filesystem::path& path, const MatrixView& values);
/// Writes an array of any shape. `numbers` must yield as many numbers as the shape has elements.
Result<void> write_npy(const std::filesystem::path& path, const std::vector<std::size_t>& shape,
                       const NumberStream& numbers);

}  // namespace headscope
