// The small products within one head, whose sides are as long as a sentence or as wide as a head, which is
// too small for packed factors. Scalar is float or double. Compiled once for each instruction set.

// Unlike a file with #pragma once, this one is included again for each target.
#if defined(HEADSCOPE_CORE_TRAIN_HEAD_KERNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADSCOPE_CORE_TRAIN_HEAD_KERNELS_INL_H
#undef HEADSCOPE_CORE_TRAIN_HEAD_KERNELS_INL_H
#else
#define HEADSCOPE_CORE_TRAIN_HEAD_KERNELS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "core/tensor/row_math-inl.h"
#include "core/tensor/transpose.h"
#include "core/train/rows.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {

/// The left factor of a small product. The element in row r at depth k is at r · row_step + k · step.
template <class Scalar>
struct SmallFactor {
  const Scalar* numbers;
  std::ptrdiff_t row_step;
  std::ptrdiff_t step;
};

/// Rows of a matrix that lie `stride` numbers apart.
template <class Scalar>
struct SmallRows {
  Scalar* numbers;
  std::ptrdiff_t stride;
};

/// Returns a range of columns of a matrix, from one row on, as a factor or a result.
template <class Scalar>
SmallRows<const Scalar> rows_of(const Rows<Scalar>& matrix, int first_row, int first_col) {
  return {matrix.row(first_row) + first_col, matrix.cols()};
}
template <class Scalar>
SmallRows<Scalar> rows_to(Rows<Scalar>& matrix, int first_row, int first_col) {
  return {matrix.row(first_row) + first_col, matrix.cols()};
}
template <class Scalar>
SmallFactor<Scalar> columns_of(const Rows<Scalar>& matrix, int first_row, int first_col) {
  return {matrix.row(first_row) + first_col, matrix.cols(), 1};
}

/// Computes `rows` rows of a small product, one vector of columns wide. The sums stay in registers.
template <int rows, class Scalar>
void small_tile(const SmallFactor<Scalar>& left, const SmallRows<const Scalar>& right, int depth,
                const SmallRows<Scalar>& out) {
  Scalar sums[rows][vector_width] = {};
  for (int k = 0; k < depth; ++k) {
    const Scalar* from = right.numbers + k * right.stride;
    const Scalar* factors = left.numbers + k * left.step;
    for (int r = 0; r < rows; ++r) {
      const Scalar factor = factors[r * left.row_step];
#pragma omp simd
      for (int c = 0; c < vector_width; ++c) sums[r][c] = mul_add(factor, from[c], sums[r][c]);
    }
  }
  for (int r = 0; r < rows; ++r) {
#pragma omp simd
    for (int c = 0; c < vector_width; ++c) out.numbers[r * out.stride + c] = sums[r][c];
  }
}

/// The number of rows of a small product computed at once. It is large enough that no sum waits for its
/// previous addition.
inline constexpr int small_rows = 6;

/// Computes `n` ≤ `rows` rows of a small product.
template <int rows, class Scalar>
void small_block(int n, const SmallFactor<Scalar>& left, const SmallRows<const Scalar>& right, int depth,
                 int width, const SmallRows<Scalar>& out) {
  if constexpr (rows > 1) {
    if (n < rows) return small_block<rows - 1>(n, left, right, depth, width, out);
  }
  int c = 0;
  for (; c + vector_width <= width; c += vector_width) {
    small_tile<rows>(left, SmallRows<const Scalar>{right.numbers + c, right.stride}, depth,
                     SmallRows<Scalar>{out.numbers + c, out.stride});
  }
  for (; c < width; ++c) {
    for (int r = 0; r < rows; ++r) {
      Scalar sum = 0;
      for (int k = 0; k < depth; ++k) {
        sum = mul_add(left.numbers[r * left.row_step + k * left.step], right.numbers[k * right.stride + c],
                      sum);
      }
      out.numbers[r * out.stride + c] = sum;
    }
  }
}

/// out [n, width] = left [n, depth] · right [depth, width]. The rows are divided evenly into blocks, because
/// a block of few rows takes as long as one of many.
template <class Scalar>
void small_product(SmallFactor<Scalar> left, SmallRows<const Scalar> right, int n, int depth, int width,
                   SmallRows<Scalar> out) {
  for (int blocks = (n + small_rows - 1) / small_rows; blocks > 0; --blocks) {
    const int rows = (n + blocks - 1) / blocks;
    small_block<small_rows>(rows, left, right, depth, width, out);
    left.numbers += rows * left.row_step;
    out.numbers += rows * out.stride;
    n -= rows;
  }
}

/// Transposes the columns of a head to [width, padded n], so the keys of a score are adjacent.
template <class Scalar>
void transpose_head(const Rows<Scalar>& from, int first_row, int first_col, int n, int width,
                    Numbers<Scalar>& out) {
  const int stride = padded(n);
  out.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(stride));
  // The padding lies in the last vector of a row.
  for (int c = 1; c <= width; ++c) {
    Scalar* row_end = out.data() + static_cast<std::ptrdiff_t>(c) * stride;
    std::fill(row_end - vector_width, row_end, Scalar{0});
  }
  transpose(from.row(first_row) + first_col, from.cols(), n, width, out.data(), stride);
}

}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
