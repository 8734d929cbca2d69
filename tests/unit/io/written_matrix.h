#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/io/csv.h"
#include "core/io/npy.h"

namespace headscope {

/// A matrix as write_npy() writes it.
inline std::string npy_bytes(const MatrixView& values) {
  const auto cols = static_cast<std::size_t>(values.cols);
  std::string bytes = npy_header({static_cast<std::size_t>(values.rows), cols});
  for (int row = 0; row < values.rows; ++row)
    bytes.append(reinterpret_cast<const char*>(values.row(row).data()), cols * sizeof(float));
  return bytes;
}

inline Result<void> write_npy(const std::filesystem::path& path, const MatrixView& values) {
  return write_npy(path, {static_cast<std::size_t>(values.rows), static_cast<std::size_t>(values.cols)},
                   [&values](const RowSink& put) { return put(values); });
}

/// A matrix as CSV.
inline std::string csv_text(const MatrixView& values, std::string_view axes,
                            std::span<const std::string> row_labels,
                            std::span<const std::string> col_labels) {
  return csv_head(axes, values.cols, col_labels) + csv_lines(values, 0, row_labels);
}

}  // namespace headscope
