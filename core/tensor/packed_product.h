#pragma once

#include "core/tensor/aligned_buffer.h"
#include "core/tensor/view.h"

namespace headscope {

/// The product of a left factor and one panel: neighbouring columns of the right factor, `step` floats from
/// one row to the next.
struct PanelProduct {
  MatrixView left;  ///< [rows, depth], or [depth, rows] where it is transposed
  bool left_transposed = false;
  const float* values = nullptr;
  std::ptrdiff_t step = 0;
  int depth = 0;
  int n_cols = 0;               ///< that are real; the panel is filled up with zeros
  const float* bias = nullptr;  ///< of these columns, or null
  float* out = nullptr;         ///< the panel's first column in the first row
  std::ptrdiff_t out_stride = 0;
  bool adds = false;  ///< to what is in `out`
};

/// The right factor of a matrix product, rearranged into the order in which it is multiplied. The products of
/// attention have one side as short as a head is wide, and their left factor comes in blocks of rows: packing
/// the right one once for all blocks is what makes them fast. Every number of a product is one sum from the
/// first k to the last, so it does not depend on how wide the processor's vectors are.
class PackedMatrix {
 public:
  /// b [depth, cols], for out = a b. The memory is kept from one pack to the next.
  void pack(const MatrixView& b);
  /// Room for a [depth, cols], which pack_transposed_columns() then fills.
  void prepare(int depth, int cols);
  /// b [n, depth] for the columns from `first` on, which begins a panel; the last part may be narrower. Parts
  /// may be packed by several threads.
  void pack_transposed_columns(const MatrixView& b, int first);
  int panel_width() const { return panel_width_; }
  /// pack() without a copy, where columns fill whole panels: b must stay as it is until the last product.
  void borrow(const MatrixView& b);
  /// b [cols, depth], for out = a bᵀ.
  void pack_transposed(const MatrixView& b);

  int depth() const { return depth_; }
  int cols() const { return cols_; }
  /// What was packed, [depth, cols]; rows of `out` lie `out_stride` floats apart.
  void unpack(float* out, std::ptrdiff_t out_stride) const;

  /// Columns are multiplied in panels: the unit in which threads can share a product out.
  int n_panels() const;

  /// out = a · (what was packed) + bias, for a [rows, depth], or fewer columns of it where the others are
  /// zeros; rows of `out` lie `out_stride` floats apart. `bias` has a number a column, or is null. `out` must
  /// not overlap `a`.
  void multiply(const MatrixView& a, const float* bias, float* out, std::ptrdiff_t out_stride) const {
    multiply_panels(a, bias, out, out_stride, 0, n_panels());
  }
  /// The same, without a bias, for the first `n_cols` columns only: as many as fill whole panels, or all.
  void multiply_columns(const MatrixView& a, float* out, std::ptrdiff_t out_stride, int n_cols) const {
    multiply_panels(a, nullptr, out, out_stride, 0, (n_cols + panel_width_ - 1) / panel_width_);
  }
  /// The same for the columns of panels first … last − 1 only.
  void multiply_panels(const MatrixView& a, const float* bias, float* out, std::ptrdiff_t out_stride,
                       int first, int last) const;

  /// out += a · (what was packed), for a [rows, depth].
  void multiply_add(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const;
  /// out += aᵀ · (what was packed), for a [depth, rows].
  void multiply_add_transposed(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const;

 private:
  void reshape(int depth, int cols);
  /// Of the panel that begins with a column; the last one is only half as wide where that is enough.
  int width_of_panel(int col) const;
  void run(const MatrixView& a, bool a_transposed, const float* bias, bool adds, float* out,
           std::ptrdiff_t out_stride, int first, int last) const;

  int panel_width_ = 1;                 ///< as wide as this processor multiplies it
  AlignedBuffer values_;                ///< panels of columns, each [depth, panel width]
  const float* borrowed_ = nullptr;     ///< instead of values_
  std::ptrdiff_t borrowed_stride_ = 0;  ///< floats from one of its rows to the next
  int depth_ = 0;
  int cols_ = 0;
};

}  // namespace headscope
