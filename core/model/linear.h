#pragma once

#include <memory>
#include <vector>

#include "core/model/stored_weights.h"
#include "core/tensor/matrix.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/parallel.h"

namespace headscope {

/// A linear layer y = x W + b with W [in, out]. Copies share their weights.
class Linear {
 public:
  RowVector bias;  ///< [out] Zeros if the layer has no bias.

  Linear() = default;
  Linear(const MatrixIn& weight, RowVector b);
  /// Takes weights that are already packed.
  Linear(PackedMatrix weight, RowVector b);
  /// Takes weights [n_in, size of b] that are packed when they are first used, and that stay packed if the
  /// share has room for them.
  Linear(int n_in, std::shared_ptr<const StoredWeights> stored, std::shared_ptr<PackedShare> share,
         RowVector b);

  bool exists() const { return n_in_ > 0; }
  int n_in() const { return n_in_; }
  int n_out() const { return n_out_; }
  /// W in the order in which a pass multiplies by it. The layer must exist. As long as the result is held, no
  /// other copy is made. Any thread may call it except a task of the pool.
  std::shared_ptr<const PackedMatrix> packed(TaskPool& pool) const;
  /// The columns of W from `first` on, [in, n], as a copy. If the weights are not packed, this does not pack
  /// them. Any thread may call it.
  Matrix columns(int first, int n) const;
  /// All of W [in, out], as a copy. Empty if there is no such layer.
  Matrix weight() const { return exists() ? columns(0, n_out_) : Matrix(); }
  /// Takes the room that its packed weights need before it is used, if there is enough: for a layer that
  /// passes use last, when the others have filled the share.
  void reserve_room() const;

 private:
  struct Weights;

  int n_in_ = 0;
  int n_out_ = 0;
  std::shared_ptr<Weights> weights_;  ///< Null if there is no such layer.
};

/// Computes out [T, n_out] = in [T, n_in] · W + b in blocks of rows that stay in the cache. The pool divides
/// the work by rows if there are many, and otherwise by columns.
void multiply(const MatrixView& in, const Linear& linear, float* out, TaskPool& pool);

}  // namespace headscope
