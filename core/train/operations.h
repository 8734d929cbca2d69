#pragma once

#include <vector>

#include "core/model/parameters.h"
#include "core/model/rotary.h"
#include "core/tensor/elementwise.h"
#include "core/tensor/packed_product.h"
#include "core/train/attention.h"
#include "core/train/rows.h"

namespace headscope {

/// A linear layer in the flat parameters. If it is tied, it multiplies by the transpose of its table [out,
/// in], which is where it begins, and adds its bias afterwards.
struct LayerSlot : ParameterSlot {
  bool is_tied = false;
};

/// The matrix products of linear layers, forward and backward, with scratch memory. Scalar is float (packed
/// factors) or double (plain loops, to test derivatives).
template <class Scalar>
class Products {
 public:
  /// out [N, out] = in [N, in] · W + b.
  void linear(const RowMatrix<Scalar>& in, const LayerSlot& slot, const Scalar* parameters,
              RowMatrix<Scalar>& out);

  /// The backward pass of linear(). d_out is the gradient of `out`. Adds the gradients of W and b to
  /// `gradients`, if not null, and that of `in` to d_in [N, in] if `adds`; otherwise it overwrites d_in of
  /// any size.
  void linear_backward(const RowMatrix<Scalar>& in, const LayerSlot& slot, const Scalar* parameters,
                       const RowMatrix<Scalar>& d_out, Scalar* gradients, bool adds, RowMatrix<Scalar>& d_in);

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
