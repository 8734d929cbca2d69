#pragma once

#include <memory>
#include <mutex>

#include "core/tensor/matrix.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/parallel.h"

namespace headscope {

/// A linear layer y = x W + b with W [in, out]. Its weights are kept once, in the order in which a pass
/// multiplies by them.
class Linear {
 public:
  RowVector bias;  ///< [out] Zeros if the layer has no bias.
  PackedMatrix packed;

  Linear() = default;
  Linear(const MatrixIn& weight, RowVector b);
  /// Takes weights that are already packed.
  Linear(PackedMatrix weight, RowVector b);

  bool exists() const { return packed.depth() > 0; }
  int n_in() const { return packed.depth(); }
  int n_out() const { return packed.cols(); }
  /// W [in, out] for display. Empty if there is no such layer. It is made at the first call and then kept;
  /// any thread may call it.
  const Matrix& weight() const;

 private:
  struct Shown {
    std::once_flag made;
    Matrix weight;
  };
  std::shared_ptr<Shown> shown_ = std::make_shared<Shown>();
};

/// Computes out [T, n_out] = in [T, n_in] · W + b in blocks of rows that stay in the cache. The pool divides
/// the work by rows if there are many, and otherwise by columns.
void multiply(const MatrixView& in, const Linear& linear, float* out, TaskPool& pool);

}  // namespace headscope
