#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// A read-only, non-owning view of a row-major float matrix. Independent of Eigen, so code that only reads
/// numbers compiles quickly.
struct MatrixView {
  const float* data = nullptr;
  int rows = 0;
  int cols = 0;
  std::ptrdiff_t stride = 0;  ///< Row stride in floats.

  bool empty() const { return data == nullptr || rows == 0 || cols == 0; }
  float operator()(int row, int col) const { return data[row * stride + col]; }
  std::span<const float> row(int index) const {
    return {data + index * stride, static_cast<std::size_t>(cols)};
  }
  /// A block of this view, which must lie inside it.
  MatrixView block(int first_row, int first_col, int n_rows, int n_cols) const {
    return {data + first_row * stride + first_col, n_rows, n_cols, stride};
  }
};

/// An owning row-major float matrix, for use outside the hot path.
struct OwnedMatrix {
  int rows = 0;
  int cols = 0;
  std::vector<float> values;

  OwnedMatrix() = default;
  OwnedMatrix(int n_rows, int n_cols)
      : rows(n_rows),
        cols(n_cols),
        values(static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(n_cols), 0.0F) {}
  explicit OwnedMatrix(const MatrixView& copied) : rows(copied.rows), cols(copied.cols) {
    values.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    for (int row = 0; row < rows; ++row)
      values.insert(values.end(), copied.row(row).begin(), copied.row(row).end());
  }

  float& at(int row, int col) { return values[index(row, col)]; }
  float at(int row, int col) const { return values[index(row, col)]; }
  MatrixView view() const { return {values.data(), rows, cols, cols}; }

  bool operator==(const OwnedMatrix&) const = default;

 private:
  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
  }
};

}  // namespace headscope
