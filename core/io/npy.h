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

/// An array of a .npy file, row-major.
struct NpyArray {
  std::string_view type = "float32";  ///< NumPy's name: bool, int8 … uint64, float16 … float64
  std::vector<int> shape;             ///< empty for a scalar
  std::vector<float> values;          ///< wider types are rounded to float
};

/// Reads NumPy's formats 1.0, 2.0 and 3.0 (numpy.lib.format), converting Fortran order to row-major. Errors:
/// other types, big-endian or truncated files, and more than `max_npy_numbers` numbers.
inline constexpr std::size_t max_npy_numbers = std::size_t{1} << 26U;  ///< a map of 8,192 × 8,192
Result<NpyArray> read_npy(const std::filesystem::path& path);
/// Reads only the end of an array: at most `max_numbers` numbers. Fails for arrays in Fortran order that have
/// more.
Result<NpyArray> read_end_of_npy(const std::filesystem::path& path, std::size_t max_numbers);
/// read_npy() for bytes in memory, called `name` in messages.
Result<NpyArray> parse_npy(std::string_view bytes, std::string_view name);

/// The bytes before the numbers of an array in format 1.0 with type <f4.
std::string npy_header(const std::vector<std::size_t>& shape);
/// Writes an array of any shape, with as many `numbers`.
Result<void> write_npy(const std::filesystem::path& path, const std::vector<std::size_t>& shape,
                       const NumberStream& numbers);

}  // namespace headscope
