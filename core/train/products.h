#pragma once

#include "core/model/parameters.h"
#include "core/tensor/packed_product.h"
#include "core/train/rows.h"

namespace headscope {

/// Whether a gradient replaces what a matrix holds, whatever its size, or is added to it.
enum class Into { fresh, sum };

/// Adds a bias to every row.
template <class Scalar>
void add_to_rows(const Scalar* bias, Rows<Scalar>& rows);
/// Its gradient: adds all rows to it.
template <class Scalar>
void add_row_sums(const Rows<Scalar>& d_rows, Scalar* d_bias);

/// The matrix products of linear layers, forward and backward, with the memory that they work in. Scalar is
/// float, by packed factors, or double, by plain loops, for tests of the derivatives.
template <class Scalar>
class Products {
 public:
  /// out [N, out] = in [N, in] · W + b.
  void linear(const Rows<Scalar>& in, const LinearSlot& slot, const Scalar* parameters, Rows<Scalar>& out);

  /// From d_out, the loss's gradient by `out`: those by W and b are added to `gradients`, and the one by `in`
  /// goes to d_in [N, in] as `into` says.
  void linear_backward(const Rows<Scalar>& in, const LinearSlot& slot, const Scalar* parameters,
                       const Rows<Scalar>& d_out, Scalar* gradients, Into into, Rows<Scalar>& d_in);

  /// out [N, V] = in [N, D] · tableᵀ of a table [V, D]: tied logits.
  void tied(const Rows<Scalar>& in, const Scalar* table, int vocabulary, Rows<Scalar>& out);
  /// The gradient by the table is added to d_table; d_in [N, D] becomes the one by `in`.
  void tied_backward(const Rows<Scalar>& in, const Scalar* table, const Rows<Scalar>& d_out, Scalar* d_table,
                     Rows<Scalar>& d_in);

 private:
  /// The right factor of a product: b [depth, cols], or bᵀ of b [cols, depth].
  struct Factor {
    const Scalar* b;
    int depth;
    int cols;
    bool transposed;
  };
  /// out = a [n, depth] · factor, plus the bias unless that is null.
  void product(const Rows<Scalar>& a, const Factor& factor, const Scalar* bias, Scalar* out);
  /// out += a · factor.
  void add_product(const Rows<Scalar>& a, const Factor& factor, Scalar* out);
  /// out [a's cols, b's cols] += aᵀ [.., N] · b [N, ..].
  void add_outer(const Rows<Scalar>& a, const Rows<Scalar>& b, Scalar* out);

  void pack(const Factor& factor);

  PackedMatrix packed_;
};

}  // namespace headscope
