// Fuzzes a .npy file, read as an array and as the rows given to an attention module.
// The input is read twice: as the file, and as a header up to the first line break, followed by the data. In
// the second case the length of the header is filled in, so that a mutation may change it.

#include <algorithm>
#include <cstring>

#include "core/engine/module_trace.h"
#include "core/io/npy.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/unit/io/written_matrix.h"

namespace headscope {
namespace {

using fuzzing::require;

constexpr const char* file_name = "fuzz.npy";

void check_written_again(const NpyArray& array) {
  const MatrixView view{array.values.data(), array.shape[0], array.shape[1], array.shape[1]};
  const auto again = parse_npy(npy_bytes(view), file_name);
  require(again.has_value(), "what was written can be read");
  const bool same = again->type == "float32" && again->shape == array.shape &&
                    again->values.size() == array.values.size() &&
                    (array.values.empty() || std::memcmp(again->values.data(), array.values.data(),
                                                         array.values.size() * sizeof(float)) == 0);
  require(same, "an array read back is the same");
}

void read(std::string_view bytes) {
  const auto array = parse_npy(bytes, file_name);
  if (!array) return fuzzing::require_readable(array.error().message);
  std::size_t size = 1;
  for (const int side : array->shape) {
    require(side >= 0, "no side of an array is negative");
    size *= static_cast<std::size_t>(side);
  }
  require(array->values.size() == size, "an array has as many numbers as its shape says");
  if (array->shape.size() == 2) check_written_again(*array);

  fuzzing::put(file_name, bytes);
  const auto rows = read_module_rows(file_name);
  if (!rows) return fuzzing::require_readable(rows.error().message);
  require(rows->rows.values == array->values, "rows are the array's numbers");
}

std::string with_header(std::string_view header, std::string_view data) {
  const std::size_t length = std::min(header.size() + 1, std::size_t{0xFFFF});
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(length & 0xFFU);
  bytes += static_cast<char>(length >> 8U);
  return bytes.append(header.substr(0, length - 1)).append("\n").append(data);
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzzing::text_of(data, size);
  fuzzing::scratch();
  read(input);
  const std::size_t end = std::min(input.find('\n'), input.size());
  read(with_header(input.substr(0, end), input.substr(std::min(end + 1, input.size()))));
  return 0;
}
