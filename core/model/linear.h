#pragma once

#include "core/tensor/matrix.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/parallel.h"

namespace headscope {

/// A linear layer y = x W + b: weights [in, out] as they are shown and stored, and once more in the order in
/// which a pass multiplies by them.
struct Linear {
  Matrix weight;   ///< [in, out]; empty where there is no such layer
  RowVector bias;  ///< [out]; zeros where it carries none
  PackedMatrix packed;

  Linear() = default;
  Linear(Matrix w, RowVector b);
  int n_in() const { return static_cast<int>(weight.rows()); }
  int n_out() const { return static_cast<int>(weight.cols()); }
};

/// out [T, n_out] = in [T, n_in] · W + b, in blocks of rows that stay in the cache, shared out over the pool:
/// by rows where there are many, else by columns.
void multiply(const MatrixView& in, const Linear& linear, float* out, TaskPool& pool);

}  // namespace headscope
