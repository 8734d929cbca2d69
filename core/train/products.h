#pragma once

#include "core/model/parameters.h"
#include "core/tensor/packed_product.h"
#include "core/train/rows.h"

namespace headscope {

/// The matrix products of linear layers, forward and backward, with the memory that they work in. Scalar is
/// float, by packed factors, or double, by plain loops, for tests of the derivatives.
template <class Scalar>
class Products {
 public:
  /// out [N, out] = in [N, in] · W + b.
  void linear(const Rows<Scalar>& in, const LinearSlot& slot, const Scalar* parameters, Rows<Scalar>& out);

  /// From d_out, the loss's gradient by `out`: those by W and b are added to `gradients`, and the one by `in`
  /// is added to d_in, unless that is null.
  void linear_backward(const Rows<Scalar>& in, const LinearSlot& slot, const Scalar* parameters,
                       const Rows<Scalar>& d_out, Scalar* gradients, Rows<Scalar>* d_in);

  /// out [N, V] = in [N, D] · tableᵀ of a table [V, D]: tied logits.
  void tied(const Rows<Scalar>& in, const Scalar* table, int vocabulary, Rows<Scalar>& out);
  void tied_backward(const Rows<Scalar>& in, const Scalar* table, const Rows<Scalar>& d_out, Scalar* d_table,
                     Rows<Scalar>& d_in);

 private:
  /// out (+)= a [n, depth] · b [depth, cols].
  void product(const Scalar* a, int n, int depth, const Scalar* b, int cols, const Scalar* bias, Scalar* out,
               bool adds);
  /// out (+)= a [n, depth] · bᵀ of b [cols, depth].
  void product_transposed(const Scalar* a, int n, int depth, const Scalar* b, int cols, Scalar* out,
                          bool adds);
  /// out [a's cols, b's cols] += aᵀ [.., N] · b [N, ..].
  void outer(const Rows<Scalar>& a, const Rows<Scalar>& b, Scalar* out);

  PackedMatrix packed_;
  Rows<Scalar> transposed_, result_;
};

}  // namespace headscope
