#include "core/tensor/packed_product.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace headscope {
namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
constexpr int tile_rows = 8;
#elif defined(__AVX__)
constexpr int lanes = 8;
constexpr int tile_rows = 4;
#else
constexpr int lanes = 4;
constexpr int tile_rows = 4;
#endif

/// As many floats as one register of this processor holds (a vector type of GCC and Clang).
using Lanes = float __attribute__((vector_size(lanes * sizeof(float))));

/// A panel is two registers wide, the last one only one where that is enough.
constexpr int panel_width = 2 * lanes;

/// A part of a panel this deep stays in the first-level cache while all rows pass over it.
constexpr int depth_block = 384;

int width_of_panel(int cols_left) {
  return cols_left <= lanes ? lanes : panel_width;
}

int padded(int cols) {
  const int rest = cols % panel_width;
  return cols - rest + (rest == 0 ? 0 : width_of_panel(rest));
}

Lanes load(const float* from) {
  Lanes value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

Lanes load(const float* from, int n) {
  Lanes value{};
  std::memcpy(&value, from, static_cast<std::size_t>(n) * sizeof(float));
  return value;
}

void store(const Lanes& value, float* to, int n) {
  std::memcpy(to, &value, static_cast<std::size_t>(n) * sizeof(float));
}

/// A part of the depth of one panel of the right factor, and where its columns go.
struct Panel {
  const float* values;
  const float* bias;  ///< of its first column; null: none
  float* out;         ///< its first column in the first row
  std::ptrdiff_t out_stride;
  int n_cols;   ///< that are real
  int first_k;  ///< of the left factor's columns
  int n_k;
};

/// What a register of sums starts from: the bias, or what the depth before this part came to.
Lanes start_of(const Panel& panel, const float* out, int first_col) {
  const int n = std::clamp(panel.n_cols - first_col, 0, lanes);
  if (panel.first_k > 0) return n == lanes ? load(out) : load(out, n);
  return panel.bias == nullptr ? Lanes{} : load(panel.bias + first_col, n);
}

/// `rows` rows of a times one panel of `vectors` registers; the sums stay in registers over the whole part.
template <int rows, int vectors>
void tile(const MatrixView& a, int first_row, const Panel& panel) {
  std::array<std::array<Lanes, vectors>, rows> sums;
  float* const corner = panel.out + first_row * panel.out_stride;
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      sums[r][v] = start_of(panel, corner + r * panel.out_stride + std::ptrdiff_t{v} * lanes, v * lanes);
    }
  }
  const float* left = a.data + first_row * a.stride + panel.first_k;
  for (int k = 0; k < panel.n_k; ++k) {
    std::array<Lanes, vectors> right;
    for (int v = 0; v < vectors; ++v)
      right[v] = load(panel.values + (std::ptrdiff_t{k} * vectors + v) * lanes);
    for (int r = 0; r < rows; ++r) {
      const float factor = left[r * a.stride + k];
      for (int v = 0; v < vectors; ++v) sums[r][v] += factor * right[v];
    }
  }
  for (int r = 0; r < rows; ++r) {
    float* row = corner + r * panel.out_stride;
    for (int v = 0; v < vectors; ++v) {
      const int n = panel.n_cols - v * lanes;
      if (n >= lanes) {
        store(sums[r][v], row + std::ptrdiff_t{v} * lanes, lanes);
      } else if (n > 0) {
        store(sums[r][v], row + std::ptrdiff_t{v} * lanes, n);
      }
    }
  }
}

/// All rows of a times one panel, as many rows at once as the registers allow, then fewer.
template <int rows, int vectors>
void panel_rows(const MatrixView& a, int first_row, const Panel& panel) {
  int row = first_row;
  for (; row + rows <= a.rows; row += rows) tile<rows, vectors>(a, row, panel);
  if constexpr (rows > 1) {
    if (row < a.rows) panel_rows<rows / 2, vectors>(a, row, panel);
  }
}

}  // namespace

void PackedMatrix::reshape(int depth, int cols) {
  depth_ = depth;
  cols_ = cols;
  const std::size_t floats = static_cast<std::size_t>(depth) * static_cast<std::size_t>(padded(cols));
  if (values_.size() < floats) values_ = AlignedBuffer(floats);
}

void PackedMatrix::pack(const MatrixView& b) {
  reshape(b.rows, b.cols);
  float* to = values_.data();
  for (int col = 0; col < cols_; col += panel_width) {
    const int width = width_of_panel(cols_ - col);
    const int used = std::min(width, cols_ - col);
    for (int k = 0; k < depth_; ++k, to += width) {
      std::copy_n(b.data + k * b.stride + col, used, to);
      std::fill(to + used, to + width, 0.0F);
    }
  }
}

void PackedMatrix::pack_transposed(const MatrixView& b) {
  reshape(b.cols, b.rows);
  float* to = values_.data();
  for (int col = 0; col < cols_; col += panel_width) {
    const int width = width_of_panel(cols_ - col);
    const int used = std::min(width, cols_ - col);
    for (int c = 0; c < used; ++c) {
      const float* from = b.data + (col + c) * b.stride;
      for (int k = 0; k < depth_; ++k) to[k * width + c] = from[k];
    }
    for (std::ptrdiff_t k = 0; k < depth_; ++k) std::fill(to + k * width + used, to + (k + 1) * width, 0.0F);
    to += static_cast<std::ptrdiff_t>(depth_) * width;
  }
}

int PackedMatrix::n_panels() const {
  return (cols_ + panel_width - 1) / panel_width;
}

void PackedMatrix::multiply_panels(const MatrixView& a, const float* bias, float* out,
                                   std::ptrdiff_t out_stride, int first, int last) const {
  for (int index = first; index < last; ++index) {
    const int col = index * panel_width;
    const int width = width_of_panel(cols_ - col);
    const float* values = values_.data() + static_cast<std::ptrdiff_t>(col) * depth_;
    for (int k = 0; k < depth_; k += depth_block) {
      const Panel panel{values + static_cast<std::ptrdiff_t>(k) * width,
                        bias == nullptr ? nullptr : bias + col,
                        out + col,
                        out_stride,
                        std::min(width, cols_ - col),
                        k,
                        std::min(depth_block, depth_ - k)};
      if (width == lanes) {
        panel_rows<tile_rows, 1>(a, 0, panel);
      } else {
        panel_rows<tile_rows, 2>(a, 0, panel);
      }
    }
  }
}

}  // namespace headscope
