#include "core/tensor/small_product.h"

#include <algorithm>
#include <array>

namespace headscope {
namespace {

constexpr int max_depth = 32;
constexpr int max_cols = 32;
constexpr int max_rows = 32;
constexpr int lane_count = 8;  ///< columns worked at once
constexpr int row_count = 4;   ///< rows worked at once

/// The right factor, its columns padded with zeros to whole lanes.
struct Panel {
  alignas(64) std::array<float, static_cast<std::size_t>(max_depth) * max_cols> values;
  int depth = 0;
  int padded_cols = 0;

  Panel(int n_depth, int n_cols)
      : depth(n_depth), padded_cols((n_cols + lane_count - 1) / lane_count * lane_count) {}
  float* row(int index) { return values.data() + index * padded_cols; }
  const float* row(int index) const { return values.data() + index * padded_cols; }
};

/// `n_rows` (1 to row_count) rows of a times eight columns of the panel.
template <int n_rows>
void tile(const float* a, std::ptrdiff_t a_stride, const Panel& panel, int col, float* out,
          std::ptrdiff_t out_stride, int n_cols) {
  float sums[n_rows][lane_count] = {};
  for (int k = 0; k < panel.depth; ++k) {
    const float* b = panel.row(k) + col;
    for (int r = 0; r < n_rows; ++r) {
      const float factor = a[r * a_stride + k];
#pragma omp simd
      for (int c = 0; c < lane_count; ++c) sums[r][c] += factor * b[c];
    }
  }
  for (int r = 0; r < n_rows; ++r) {
    if (n_cols == lane_count) {
      std::copy_n(sums[r], lane_count, out + r * out_stride);
    } else {
      for (int c = 0; c < n_cols; ++c) out[r * out_stride + c] = sums[r][c];
    }
  }
}

void multiply(const MatrixView& a, const Panel& panel, int cols, float* out, std::ptrdiff_t out_stride) {
  for (int col = 0; col < cols; col += lane_count) {
    const int n_cols = std::min(lane_count, cols - col);
    int row = 0;
    for (; row + row_count <= a.rows; row += row_count) {
      tile<row_count>(a.data + row * a.stride, a.stride, panel, col, out + row * out_stride + col, out_stride,
                      n_cols);
    }
    for (; row < a.rows; ++row) {
      tile<1>(a.data + row * a.stride, a.stride, panel, col, out + row * out_stride + col, out_stride,
              n_cols);
    }
  }
}

}  // namespace

bool is_small_product(int rows, int depth, int cols) {
  return rows <= max_rows && depth <= max_depth && cols <= max_cols;
}

void small_product_transposed(const MatrixView& a, const MatrixView& b, float* out,
                              std::ptrdiff_t out_stride) {
  Panel panel(b.cols, b.rows);
  for (int k = 0; k < b.cols; ++k) {
    float* row = panel.row(k);
    for (int c = 0; c < b.rows; ++c) row[c] = b(c, k);
    std::fill(row + b.rows, row + panel.padded_cols, 0.0F);
  }
  multiply(a, panel, b.rows, out, out_stride);
}

void small_product(const MatrixView& a, const MatrixView& b, float* out, std::ptrdiff_t out_stride) {
  Panel panel(b.rows, b.cols);
  for (int k = 0; k < b.rows; ++k) {
    float* row = panel.row(k);
    std::copy_n(b.data + k * b.stride, b.cols, row);
    std::fill(row + b.cols, row + panel.padded_cols, 0.0F);
  }
  multiply(a, panel, b.cols, out, out_stride);
}

}  // namespace headscope
