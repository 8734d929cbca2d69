#pragma once

#include "core/model/parameters.h"
#include "core/tensor/packed_product.h"
#include "core/train/rows.h"

namespace headscope {

/// Says whether a gradient replaces the contents of a matrix, whatever its size, or is added to them.
enum class Into { fresh, sum };

/// Adds a bias to every row.
template <class Scalar>
void add_to_rows(const Scalar* bias, Rows<Scalar>& rows);
/// Adds all rows to d_bias, which is the gradient of add_to_rows().
template <class Scalar>
void add_row_sums(const Rows<Scalar>& d_rows, Scalar* d_bias);

/// The matrix products of linear layers, forward and backward, with their working memory. Scalar is float,
/// which uses packed factors, or double, which uses plain loops for tests of the derivatives.
template <class Scalar>
class Products {
 public:
  /// out [N, out] = in [N, in] · W + b.
  void linear(const Rows<Scalar>& in, const ParameterSlot& slot, const Scalar* parameters, Rows<Scalar>& out);

  /// Computes the gradients of linear() from d_out, the loss's gradient with respect to `out`. Adds those
  /// with respect to W and b to `gradients`, and replaces d_in [N, in] by the one with respect to `in` or
  /// adds it there, as `into` says.
  void linear_backward(const Rows<Scalar>& in, const ParameterSlot& slot, const Scalar* parameters,
                       const Rows<Scalar>& d_out, Scalar* gradients, Into into, Rows<Scalar>& d_in);

  /// out [N, V] = in [N, D] · tableᵀ for a table [V, D], as in tied logits.
  void tied(const Rows<Scalar>& in, const Scalar* table, int vocabulary, Rows<Scalar>& out);
  /// Adds the gradient with respect to the table to d_table and sets d_in [N, D] to that with respect to
  /// `in`.
  void tied_backward(const Rows<Scalar>& in, const Scalar* table, const Rows<Scalar>& d_out, Scalar* d_table,
                     Rows<Scalar>& d_in);

 private:
  /// The right factor of a product: b [depth, cols], or bᵀ for b [cols, depth].
  struct Factor {
    const Scalar* b;
    int depth;
    int cols;
    bool transposed;
  };
  /// out = a [n, depth] · factor, plus the bias unless it is null.
  void product(const Rows<Scalar>& a, const Factor& factor, const Scalar* bias, Scalar* out);
  /// out += a · factor.
  void add_product(const Rows<Scalar>& a, const Factor& factor, Scalar* out);
  /// out [a's cols, b's cols] += aᵀ [.., N] · b [N, ..].
  void add_outer(const Rows<Scalar>& a, const Rows<Scalar>& b, Scalar* out);

  void pack(const Factor& factor);

  PackedMatrix packed_;
};

}  // namespace headscope
