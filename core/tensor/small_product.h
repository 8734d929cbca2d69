#pragma once

#include "core/tensor/view.h"

namespace headscope {

/// Products of matrices so small that Eigen would spend more time packing them than multiplying: the maps of
/// a short sentence. Which ones those are:
bool is_small_product(int rows, int depth, int cols);

/// out = a bᵀ for a [rows, depth], b [cols, depth], out [rows, cols] with rows `out_stride` apart. The sizes
/// must satisfy is_small_product.
void small_product_transposed(const MatrixView& a, const MatrixView& b, float* out,
                              std::ptrdiff_t out_stride);

/// out = a b for a [rows, depth], b [depth, cols].
void small_product(const MatrixView& a, const MatrixView& b, float* out, std::ptrdiff_t out_stride);

}  // namespace headscope
