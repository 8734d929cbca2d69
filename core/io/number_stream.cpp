#include "core/io/number_stream.h"

#include <bit>
#include <string>

#include "core/system/atomic_file.h"

namespace headscope {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

std::string_view bytes_of_numbers(const float* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(float)};
}

}  // namespace

void write_numbers(AtomicFile& file, const MatrixView& rows) {
  if (rows.empty()) return;
  if (rows.stride == rows.cols)
    return ensure(file.write(bytes_of_numbers(
        rows.data, static_cast<std::size_t>(rows.rows) * static_cast<std::size_t>(rows.cols))));
  std::string block;
  constexpr std::size_t block_bytes = std::size_t{1} << 20U;
  for (int row = 0; row < rows.rows; ++row) {
    block += bytes_of_numbers(rows.row(row).data(), static_cast<std::size_t>(rows.cols));
    if (block.size() < block_bytes && row + 1 < rows.rows) continue;
    ensure(file.write(block));
    block.clear();
  }
}

}  // namespace headscope
