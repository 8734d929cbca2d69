#pragma once

#include <cstddef>

#include "core/train/rows.h"

namespace headscope {

// The small products inside of one head, whose sides are as long as a sentence or as wide as a head: too
// small for packed factors. Scalar is float or double.

inline constexpr int vector_width = 16;

/// So many numbers that whole vectors hold them.
inline int padded(int n) {
  return (n + vector_width - 1) / vector_width * vector_width;
}

/// Up to a vector of columns of Σ w_i · row i: two sums at a time, so that one need not wait for the other.
template <class Scalar>
void sum_vector(const Scalar* w, std::ptrdiff_t w_stride, const Scalar* rows, std::ptrdiff_t stride, int n,
                Scalar* out) {
  Scalar even[vector_width] = {};
  Scalar odd[vector_width] = {};
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const Scalar a = w[i * w_stride];
    const Scalar b = w[(i + 1) * w_stride];
    const Scalar* row = rows + i * stride;
#pragma omp simd
    for (int c = 0; c < vector_width; ++c) {
      even[c] += a * row[c];
      odd[c] += b * row[stride + c];
    }
  }
  if (i < n) {
    const Scalar a = w[i * w_stride];
    const Scalar* row = rows + i * stride;
#pragma omp simd
    for (int c = 0; c < vector_width; ++c) even[c] += a * row[c];
  }
#pragma omp simd
  for (int c = 0; c < vector_width; ++c) out[c] = even[c] + odd[c];
}

/// out [width] = Σ w_i · row i of n rows.
template <class Scalar>
void weighted_sum(const Scalar* w, std::ptrdiff_t w_stride, const Scalar* rows, std::ptrdiff_t stride, int n,
                  int width, Scalar* out) {
  int c = 0;
  for (; c + vector_width <= width; c += vector_width) {
    sum_vector(w, w_stride, rows + c, stride, n, out + c);
  }
  if (c == width) return;
  const int rest = width - c;
  for (int d = 0; d < rest; ++d) out[c + d] = 0;
  for (int i = 0; i < n; ++i) {
    const Scalar a = w[i * w_stride];
    const Scalar* row = rows + i * stride + c;
    for (int d = 0; d < rest; ++d) out[c + d] += a * row[d];
  }
}

/// The columns of a head, transposed: [width, padded n], so that a score's keys stand side by side.
template <class Scalar>
void transpose_head(const Rows<Scalar>& from, int first_row, int first_col, int n, int width,
                    Numbers<Scalar>& out) {
  const int stride = padded(n);
  out.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(stride), Scalar{0});
  for (int r = 0; r < n; ++r) {
    const Scalar* row = from.row(first_row + r) + first_col;
    for (int c = 0; c < width; ++c)
      out[static_cast<std::size_t>(c) * static_cast<std::size_t>(stride) + static_cast<std::size_t>(r)] =
          row[c];
  }
}

}  // namespace headscope
