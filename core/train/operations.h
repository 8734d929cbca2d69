#pragma once

#include <vector>

#include "core/model/parameters.h"
#include "core/model/rotary.h"
#include "core/tensor/elementwise.h"
#include "core/tensor/packed_product.h"
#include "core/train/attention.h"
#include "core/train/rows.h"

namespace headscope {

/// Adds a bias to every row.
template <class Scalar>
void add_to_rows(const Scalar* bias, RowMatrix<Scalar>& rows) {
  for (int r = 0; r < rows.rows(); ++r)
    add(bias, rows.row(r), static_cast<std::size_t>(rows.cols()), rows.row(r));
}
/// The backward pass of add_to_rows(): adds all rows to d_bias.
template <class Scalar>
void add_row_sums(const RowMatrix<Scalar>& d_rows, Scalar* d_bias) {
  for (int r = 0; r < d_rows.rows(); ++r)
    add(d_bias, d_rows.row(r), static_cast<std::size_t>(d_rows.cols()), d_bias);
}

/// The matrix products of linear layers, forward and backward, with scratch memory. Scalar is float (packed
/// factors) or double (plain loops, to test derivatives).
template <class Scalar>
class Products {
 public:
  /// out [N, out] = in [N, in] · W + b.
  void linear(const RowMatrix<Scalar>& in, const ParameterSlot& slot, const Scalar* parameters,
              RowMatrix<Scalar>& out);

  /// The backward pass of linear(). d_out is the gradient of `out`. Adds the gradients of W and b to
  /// `gradients`, if not null, and that of `in` to d_in [N, in] if `adds`; otherwise it overwrites d_in of
  /// any size.
  void linear_backward(const RowMatrix<Scalar>& in, const ParameterSlot& slot, const Scalar* parameters,
                       const RowMatrix<Scalar>& d_out, Scalar* gradients, bool adds, RowMatrix<Scalar>& d_in);

  /// out [N, V] = in [N, D] · tableᵀ for a table [V, D], as in tied logits.
  void tied(const RowMatrix<Scalar>& in, const Scalar* table, int vocabulary, RowMatrix<Scalar>& out);
  /// The backward pass of tied(): adds the gradient of the table to d_table, if not null, and sets d_in
  /// [N, D] to that of `in`.
  void tied_backward(const RowMatrix<Scalar>& in, const Scalar* table, const RowMatrix<Scalar>& d_out,
                     Scalar* d_table, RowMatrix<Scalar>& d_in);

 private:
  /// The right factor of a product: b [depth, cols], or bᵀ for b [cols, depth].
  struct Factor {
    const Scalar* b;
    int depth;
    int cols;
    bool transposed;
  };
  /// out = a [n, depth] · factor + bias (may be null).
  void product(const RowMatrix<Scalar>& a, const Factor& factor, const Scalar* bias, Scalar* out);
  /// out += a · factor.
  void add_product(const RowMatrix<Scalar>& a, const Factor& factor, Scalar* out);
  /// out [a's cols, b's cols] += aᵀ [.., N] · b [N, ..].
  void add_outer(const RowMatrix<Scalar>& a, const RowMatrix<Scalar>& b, Scalar* out);

  void pack(const Factor& factor);

  PackedMatrix packed_;
};

/// Cached cosines and sines of rotary positions, shared by all layers, heads and steps.
template <class Scalar>
class RotaryTables {
 public:
  /// Rotates all heads by their positions or, if `direction` is −1, applies the transpose for gradients
  /// (which includes YaRN's amplitude). Does nothing if the plan has no rotary positions. Not compiled per
  /// instruction set, because GCC fuses these products even when told not to.
  void rotate(const HeadPlan& plan, const Sequences& sequences, RowMatrix<Scalar>& rows, Scalar direction);

 private:
  /// The cosines of all pairs, then the sines, times YaRN's amplitude, with a row for each position.
  struct Table {
    Rotary rotary;
    RotaryFrequencies turns;
    RowMatrix<Scalar> numbers;
  };
  const Table& of(const HeadPlan& plan, int n_positions);

  /// One table per rotation, since layers with a sliding window may differ from global ones.
  std::vector<Table> tables_;
};

}  // namespace headscope
