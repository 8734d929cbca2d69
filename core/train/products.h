#pragma once

#include "core/model/parameters.h"
#include "core/tensor/packed_product.h"
#include "core/train/rows.h"

namespace headscope {

/// Whether a gradient overwrites a matrix of any size, or is added to it.
enum class GradientMode { overwrite, sum };

/// Adds a bias to every row.
template <class Scalar>
void add_to_rows(const Scalar* bias, RowMatrix<Scalar>& rows);
/// The backward pass of add_to_rows(): adds all rows to d_bias.
template <class Scalar>
void add_row_sums(const RowMatrix<Scalar>& d_rows, Scalar* d_bias);

/// The matrix products of linear layers, forward and backward, with scratch memory. Scalar is float (packed
/// factors) or double (plain loops, to test derivatives).
template <class Scalar>
class Products {
 public:
  /// out [N, out] = in [N, in] · W + b.
  void linear(const RowMatrix<Scalar>& in, const ParameterSlot& slot, const Scalar* parameters,
              RowMatrix<Scalar>& out);

  /// The backward pass of linear(). d_out is the gradient of `out`. Adds the gradients of W and b to
  /// `gradients`, if not null, and writes or adds that of `in` to d_in [N, in].
  void linear_backward(const RowMatrix<Scalar>& in, const ParameterSlot& slot, const Scalar* parameters,
                       const RowMatrix<Scalar>& d_out, Scalar* gradients, GradientMode mode,
                       RowMatrix<Scalar>& d_in);

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

}  // namespace headscope
