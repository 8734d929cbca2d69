#pragma once

#include <functional>

#include "core/tensor/aligned_buffer.h"
#include "core/tensor/parallel.h"
#include "core/tensor/view.h"

namespace headscope {

/// The product of a left factor and one panel. A panel consists of neighbouring columns of the right factor;
/// its rows lie `step` floats apart.
struct PanelProduct {
  MatrixView left;  ///< [rows, depth], or [depth, rows] if it is transposed.
  bool left_transposed = false;
  const float* values = nullptr;
  std::ptrdiff_t step = 0;
  int depth = 0;
  int n_cols = 0;               ///< The number of real columns. The panel is padded with zeros.
  const float* bias = nullptr;  ///< The bias of these columns, or null.
  float* out = nullptr;         ///< The panel's first column in the first row of the result.
  std::ptrdiff_t out_stride = 0;
  bool adds = false;  ///< True if the product is added to what `out` already holds.
};

/// The right factor of a matrix product, rearranged into the order in which it is multiplied. In the products
/// of attention, one side is only as long as a head is wide, and the left factor arrives in blocks of rows;
/// packing the right factor once for all blocks makes them fast. Every element of a product is one sum from
/// the first k to the last, so it does not depend on the width of the processor's vectors.
class PackedMatrix {
 public:
  /// Packs b [depth, cols] for out = a b. The memory is reused by the next call.
  void pack(const MatrixView& b);
  /// Packs [depth, cols] in parts on the threads of the pool. For each part, pack_part(first, n) is called,
  /// which must pack the n columns from `first` on with one of the next two functions.
  void pack_in_parts(int depth, int cols, TaskPool& pool,
                     const std::function<void(int first, int n)>& pack_part);
  /// Packs b [depth, n] as the columns from `first` on.
  void pack_columns(const MatrixView& b, int first);
  /// Packs b [n, depth] as the columns from `first` on.
  void pack_transposed_columns(const MatrixView& b, int first);
  int panel_width() const { return panel_width_; }
  /// Does what pack() does, but without a copy if the columns fill whole panels. b must then stay unchanged
  /// until the last product.
  void borrow(const MatrixView& b);
  /// Packs b [cols, depth] for out = a bᵀ.
  void pack_transposed(const MatrixView& b);

  int depth() const { return depth_; }
  int cols() const { return cols_; }
  /// What was packed, [depth, cols]; rows of `out` lie `out_stride` floats apart.
  void unpack(float* out, std::ptrdiff_t out_stride) const { unpack_columns(0, cols_, out, out_stride); }
  /// Its columns from `first` on, [depth, n].
  void unpack_columns(int first, int n, float* out, std::ptrdiff_t out_stride) const;

  /// The number of panels, in which columns are multiplied. Threads can divide a product between them by
  /// panels.
  int n_panels() const;

  /// out = a · (the packed matrix) + bias, for a [rows, depth]. `a` may have fewer columns if the missing
  /// ones would be zeros. The rows of `out` lie `out_stride` floats apart. `bias` has one number for each
  /// column, or is null. `out` must not overlap `a`.
  void multiply(const MatrixView& a, const float* bias, float* out, std::ptrdiff_t out_stride) const {
    multiply_panels(a, bias, out, out_stride, 0, n_panels());
  }
  /// Does the same without a bias and only for the first `n_cols` columns, which must fill whole panels or be
  /// all columns.
  void multiply_columns(const MatrixView& a, float* out, std::ptrdiff_t out_stride, int n_cols) const {
    multiply_panels(a, nullptr, out, out_stride, 0, (n_cols + panel_width_ - 1) / panel_width_);
  }
  /// Does what multiply() does, but only for the columns of the panels `first` to `last` − 1.
  void multiply_panels(const MatrixView& a, const float* bias, float* out, std::ptrdiff_t out_stride,
                       int first, int last) const;

  /// out += a · (the packed matrix), for a [rows, depth].
  void multiply_add(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const;
  /// out += aᵀ · (the packed matrix), for a [depth, rows].
  void multiply_add_transposed(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const;

 private:
  /// Where the first row of a panel lies, and how far apart its rows are.
  struct Panel {
    const float* from;
    std::ptrdiff_t step;
  };
  Panel panel_at(int col) const;
  void reshape(int depth, int cols);
  /// Returns the width of the panel that begins at column `col`. The last panel is half as wide if that is
  /// enough.
  int width_of_panel(int col) const;
  void run(const MatrixView& a, bool a_transposed, const float* bias, bool adds, float* out,
           std::ptrdiff_t out_stride, int first, int last) const;

  int panel_width_ = 1;   ///< The panel width that suits this processor.
  AlignedBuffer values_;  ///< The panels of columns, each [depth, panel width].
  /// The borrowed matrix, used instead of values_. Null if none is borrowed.
  const float* borrowed_ = nullptr;
  std::ptrdiff_t borrowed_stride_ = 0;  ///< The distance between its rows, in floats.
  int depth_ = 0;
  int cols_ = 0;
};

}  // namespace headscope
