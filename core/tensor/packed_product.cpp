#include "core/tensor/packed_product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/tensor/transpose.h"

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
  std::ptrdiff_t step;  ///< floats from one k to the next
  float* out;           ///< its first column in the first row
  std::ptrdiff_t out_stride;
  int n_cols;   ///< that are real
  int first_k;  ///< of the left factor's columns
  int n_k;
  bool adds;                   ///< sums start from what is in `out`, otherwise from `start`
  std::array<Lanes, 2> start;  ///< the bias, or zeros
};

/// The real columns of a panel from `from`, in registers.
template <int vectors>
std::array<Lanes, vectors> load_columns(const float* from, int n_cols) {
  std::array<Lanes, vectors> columns;
  for (int v = 0; v < vectors; ++v) {
    const int n = std::clamp(n_cols - v * lanes, 0, lanes);
    columns[v] = n == lanes ? load(from + std::ptrdiff_t{v} * lanes)
                 : n > 0    ? load(from + std::ptrdiff_t{v} * lanes, n)
                            : Lanes{};
  }
  return columns;
}

template <int vectors>
void store_columns(const std::array<Lanes, vectors>& columns, float* to, int n_cols) {
  for (int v = 0; v < vectors; ++v) {
    const int n = std::clamp(n_cols - v * lanes, 0, lanes);
    if (n > 0) store(columns[v], to + std::ptrdiff_t{v} * lanes, n);
  }
}

/// `rows` rows of a (columns, where it is transposed) times one panel of `vectors` registers; the sums stay
/// in registers over the whole part. Whole panels, which are nearly all, are told apart, for the sums must
/// not go through memory between a start or an end that the compiler cannot unroll. Kept out of the loop over
/// the tiles, where the compiler would carry each row's address from tile to tile through memory.
template <int rows, int vectors, bool a_transposed>
[[gnu::noinline]] void tile(const MatrixView& a, int first_row, const Panel& panel) {
  std::array<std::array<Lanes, vectors>, rows> sums;
  float* const corner = panel.out + first_row * panel.out_stride;
  const bool is_whole = panel.n_cols == vectors * lanes;
  if (!panel.adds) {
    for (auto& row : sums) std::copy_n(panel.start.begin(), vectors, row.begin());
  } else if (is_whole) {
    for (int r = 0; r < rows; ++r)
      sums[r] = load_columns<vectors>(corner + r * panel.out_stride, vectors * lanes);
  } else {
    for (int r = 0; r < rows; ++r)
      sums[r] = load_columns<vectors>(corner + r * panel.out_stride, panel.n_cols);
  }
  const float* left = a_transposed ? a.data + panel.first_k * a.stride + first_row
                                   : a.data + first_row * a.stride + panel.first_k;
  for (int k = 0; k < panel.n_k; ++k) {
    std::array<Lanes, vectors> right;
    for (int v = 0; v < vectors; ++v)
      right[v] = load(panel.values + k * panel.step + std::ptrdiff_t{v} * lanes);
    for (int r = 0; r < rows; ++r) {
      const float factor = a_transposed ? left[k * a.stride + r] : left[r * a.stride + k];
      for (int v = 0; v < vectors; ++v) sums[r][v] += factor * right[v];
    }
  }
  if (is_whole) {
    for (int r = 0; r < rows; ++r)
      store_columns<vectors>(sums[r], corner + r * panel.out_stride, vectors * lanes);
  } else {
    for (int r = 0; r < rows; ++r)
      store_columns<vectors>(sums[r], corner + r * panel.out_stride, panel.n_cols);
  }
}

/// All rows of a times one panel, as many rows at once as the registers allow, then fewer.
template <int rows, int vectors, bool a_transposed>
void panel_rows(const MatrixView& a, int first_row, const Panel& panel) {
  const int n_rows = a_transposed ? a.cols : a.rows;
  int row = first_row;
  for (; row + rows <= n_rows; row += rows) tile<rows, vectors, a_transposed>(a, row, panel);
  if constexpr (rows > 1) {
    if (row < n_rows) panel_rows<rows / 2, vectors, a_transposed>(a, row, panel);
  }
}

}  // namespace

void PackedMatrix::reshape(int depth, int cols) {
  depth_ = depth;
  cols_ = cols;
  borrowed_ = nullptr;
  const std::size_t floats = static_cast<std::size_t>(depth) * static_cast<std::size_t>(padded(cols));
  if (values_.size() < floats) values_ = AlignedBuffer(floats);
}

void PackedMatrix::pack(const MatrixView& b) {
  reshape(b.rows, b.cols);
  float* to = values_.data();
  for (int col = 0; col < cols_; col += panel_width) {
    const int width = width_of_panel(cols_ - col);
    const int used = std::min(width, cols_ - col);
    const float* from = b.data + col;
    if (used == panel_width) {  // of a size that the compiler knows: no call for each row
      for (int k = 0; k < depth_; ++k, from += b.stride, to += panel_width) {
        std::memcpy(to, from, panel_width * sizeof(float));
      }
      continue;
    }
    for (int k = 0; k < depth_; ++k, from += b.stride, to += width) {
      std::copy_n(from, used, to);
      std::fill(to + used, to + width, 0.0F);
    }
  }
}

void PackedMatrix::borrow(const MatrixView& b) {
  if (b.cols % panel_width != 0) return pack(b);
  depth_ = b.rows;
  cols_ = b.cols;
  borrowed_ = b.data;
  borrowed_stride_ = b.stride;
}

void PackedMatrix::pack_transposed(const MatrixView& b) {
  reshape(b.cols, b.rows);
  float* to = values_.data();
  for (int col = 0; col < cols_; col += panel_width) {
    const int width = width_of_panel(cols_ - col);
    const int used = std::min(width, cols_ - col);
    transpose(b.data + col * b.stride, b.stride, used, depth_, to, width);
    for (std::ptrdiff_t k = 0; k < depth_; ++k) std::fill(to + k * width + used, to + (k + 1) * width, 0.0F);
    to += static_cast<std::ptrdiff_t>(depth_) * width;
  }
}

int PackedMatrix::n_panels() const {
  return (cols_ + panel_width - 1) / panel_width;
}

template <bool a_transposed>
void PackedMatrix::run(const MatrixView& a, const float* bias, bool adds, float* out,
                       std::ptrdiff_t out_stride, int first, int last) const {
  for (int index = first; index < last; ++index) {
    const int col = index * panel_width;
    const int width = width_of_panel(cols_ - col);
    const int n_cols = std::min(width, cols_ - col);
    const float* values =
        borrowed_ != nullptr ? borrowed_ + col : values_.data() + static_cast<std::ptrdiff_t>(col) * depth_;
    const std::ptrdiff_t step = borrowed_ != nullptr ? borrowed_stride_ : width;
    const auto start = bias == nullptr ? std::array<Lanes, 2>{} : load_columns<2>(bias + col, n_cols);
    for (int k = 0; k < depth_; k += depth_block) {
      const Panel panel{
          values + k * step, step, out + col, out_stride, n_cols, k, std::min(depth_block, depth_ - k),
          adds || k > 0,     start};
      if (width == lanes) {
        panel_rows<tile_rows, 1, a_transposed>(a, 0, panel);
      } else {
        panel_rows<tile_rows, 2, a_transposed>(a, 0, panel);
      }
    }
  }
}

void PackedMatrix::multiply_panels(const MatrixView& a, const float* bias, float* out,
                                   std::ptrdiff_t out_stride, int first, int last) const {
  constexpr bool adds = false;
  run<false>(a, bias, adds, out, out_stride, first, last);
}

void PackedMatrix::multiply_add(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const {
  constexpr bool adds = true;
  run<false>(a, nullptr, adds, out, out_stride, 0, n_panels());
}

void PackedMatrix::multiply_add_transposed(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const {
  constexpr bool adds = true;
  run<true>(a, nullptr, adds, out, out_stride, 0, n_panels());
}

}  // namespace headscope
