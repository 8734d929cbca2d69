#pragma once

#include <cstddef>
#include <functional>

#include "core/tensor/aligned_buffer.h"
#include "core/tensor/floats.h"
#include "core/tensor/parallel.h"
#include "core/tensor/view.h"

namespace headscope {

/// The product of a left factor and one panel: adjacent columns of the right factor, with rows `step` floats
/// apart.
struct PanelProduct {
  MatrixView left;  ///< [rows, depth], or [depth, rows] if it is transposed.
  bool is_left_transposed = false;
  const float* values = nullptr;
  std::ptrdiff_t step = 0;
  int depth = 0;
  int n_cols = 0;               ///< Columns without the zero padding of the panel.
  const float* bias = nullptr;  ///< The bias of these columns, or null.
  float* out = nullptr;         ///< The panel's first column in the first row of the output.
  std::ptrdiff_t out_stride = 0;
  bool accumulates = false;  ///< Whether to add to `out` instead of overwriting it.
};

/// How a packed matrix keeps its numbers: as floats, as halves that represent them exactly, or as 8-bit
/// levels, of which each group of 16 or 32 in a column has a scale and an offset (LevelsOut). The product of
/// a single row converts them in registers, others in a small buffer; the results are the same.
enum class PackedAs { floats, bfloat16, float16, levels_of_16, levels_of_32 };

constexpr bool are_levels(PackedAs as) {
  return as == PackedAs::levels_of_16 || as == PackedAs::levels_of_32;
}

/// The bytes of each number, with its part of the scale and offset of its group.
constexpr double bytes_of_number(PackedAs as) {
  if (as == PackedAs::floats) return 4.0;
  if (as == PackedAs::bfloat16 || as == PackedAs::float16) return 2.0;
  return as == PackedAs::levels_of_16 ? 1.5 : 1.25;
}

/// The product of a single row and adjacent full panels, which lie one after another.
struct RowProduct {
  const float* left = nullptr;
  int depth = 0;
  PackedAs as = PackedAs::floats;
  const std::byte* values = nullptr;
  int n_panels = 0;
  const float* bias = nullptr;  ///< The bias of the panels' columns, or null.
  float* out = nullptr;
  bool accumulates = false;  ///< Whether to add to `out` instead of overwriting it.
};

/// The right factor of a matrix product, packed in the order of multiplication. In attention, the left factor
/// arrives in blocks of rows, so packing the right factor once for all blocks pays off. Each output element
/// is a single sum over ascending k, so it does not depend on the SIMD width.
class PackedMatrix {
 public:
  /// Packs b [depth, cols] for out = a b. The memory is reused by the next call.
  void pack(const MatrixView& b);
  /// Packs [depth, cols] in parallel. Calls pack_part(first, n) for each part, which must pack the columns
  /// [first, first + n) with one of the next three functions: the last one if they are levels.
  void pack_in_parallel(int depth, int cols, ThreadPool& pool,
                        const std::function<void(int first, int n)>& pack_part,
                        PackedAs as = PackedAs::floats);
  /// Packs b [depth, n] as columns [first, first + n).
  void pack_columns(const MatrixView& b, int first);
  /// Packs bᵀ, for b [n, depth], as columns [first, first + n).
  void pack_transposed_columns(const MatrixView& b, int first);
  /// Packs columns [first, first + n) of levels. read(column, to) writes those of a whole column.
  void pack_levels(int first, int n, const std::function<void(int column, const LevelsOut& to)>& read);
  int panel_width() const { return panel_width_; }
  /// Like pack(), but without a copy if the columns fill whole panels; b must then outlive the last product
  /// unchanged.
  void borrow(const MatrixView& b);
  /// Packs b [cols, depth] for out = a bᵀ.
  void pack_transposed(const MatrixView& b);
  /// Writes the rows [first, first + n) of b [cols, depth], at depth [k, k + n_k), to `to` [n, n_k].
  /// Thread-safe.
  using ReadRows = std::function<void(int first, int n, int k, int n_k, float* to)>;
  /// Like pack_transposed(), but without a copy: each product reads the rows of b that it needs,
  /// `stream_depth` numbers at a time, and packs them in a small buffer. Slower than a copy, but without its
  /// memory.
  void stream_transposed(int depth, int cols, ReadRows read);
  static constexpr int stream_depth = 256;  ///< A multiple of every quantisation block.

  int depth() const { return depth_; }
  int cols() const { return cols_; }
  /// The memory of a packed copy.
  static double bytes_of(int depth, int cols, PackedAs as) {
    return static_cast<double>(depth) * static_cast<double>(cols) * bytes_of_number(as);
  }
  /// Copies the packed matrix [depth, cols] to `out`, whose rows are `out_stride` floats apart.
  void unpack(float* out, std::ptrdiff_t out_stride) const { unpack_columns(0, cols_, out, out_stride); }
  /// Copies columns [first, first + n), as [depth, n].
  void unpack_columns(int first, int n, float* out, std::ptrdiff_t out_stride) const;

  /// The number of panels, the unit by which threads can divide a product.
  int n_panels() const;

  /// out = a · (packed matrix) + bias, for a [rows, depth]. Missing columns of `a` count as zeros. The rows
  /// of `out` are `out_stride` floats apart. `bias` [cols] may be null. `out` must not overlap `a`.
  void multiply(const MatrixView& a, const float* bias, float* out, std::ptrdiff_t out_stride) const {
    multiply_panels(a, bias, out, out_stride, 0, n_panels());
  }
  /// The same without a bias, for the first `n_cols` columns, which must fill whole panels or be all columns.
  void multiply_columns(const MatrixView& a, float* out, std::ptrdiff_t out_stride, int n_cols) const {
    multiply_panels(a, nullptr, out, out_stride, 0, (n_cols + panel_width_ - 1) / panel_width_);
  }
  /// Like multiply(), for the columns of panels [first, last) only.
  void multiply_panels(const MatrixView& a, const float* bias, float* out, std::ptrdiff_t out_stride,
                       int first, int last) const;

  /// out += a · (packed matrix), for a [rows, depth].
  void multiply_add(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const;
  /// out += aᵀ · (packed matrix), for a [depth, rows].
  void multiply_add_transposed(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const;

 private:
  /// The first row of a part of a panel, and the distance between its rows in floats.
  struct Panel {
    const float* from;
    std::ptrdiff_t step;
  };
  /// Rows [k, k + n_k) of the panel that begins at column `col`. If they must be read or converted, they lie
  /// in `buffer`.
  Panel panel_at(int col, int k, int n_k, const AlignedBuffer& buffer) const;
  /// Whether panel_at() needs a buffer.
  bool needs_buffer() const { return read_ || (as_ != PackedAs::floats && borrowed_ == nullptr); }
  AlignedBuffer buffer_of_panel() const;
  /// The number of rows of a panel that are read at once.
  int depth_at_once() const { return needs_buffer() ? stream_depth : depth_; }
  /// The number of rows of a group of levels.
  int group() const { return as_ == PackedAs::levels_of_16 ? 16 : 32; }
  /// The packed numbers of the panel that begins at column `col`.
  std::byte* panel_data(int col) const;
  void reshape(int depth, int cols, PackedAs as = PackedAs::floats);
  /// Packs the columns [first, first + n). `write(i, used, to, width)` writes the panel of the columns
  /// [first + i, first + i + used) to `to` [depth, width]; the other columns of the panel are zeros.
  template <class Write>
  void pack_panels(int first, int n, const Write& write);
  /// The width of the panel that begins at column `col`. The last panel has half the width if that suffices.
  int width_of_panel(int col) const;
  void run(const MatrixView& a, bool a_transposed, const float* bias, bool accumulates, float* out,
           std::ptrdiff_t out_stride, int first, int last) const;

  int panel_width_ = 1;  ///< The panel width for this CPU.
  PackedAs as_ = PackedAs::floats;
  /// The panels of columns, each [depth, panel width]; of levels, each group has the scales and the offsets
  /// of all columns before its levels.
  AlignedBuffer values_;
  /// The borrowed matrix, used instead of values_, or null.
  const float* borrowed_ = nullptr;
  std::ptrdiff_t borrowed_stride_ = 0;  ///< Its row stride in floats.
  ReadRows read_;                       ///< Reads the streamed matrix, or null.
  int depth_ = 0;
  int cols_ = 0;
};

}  // namespace headscope
