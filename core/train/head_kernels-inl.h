// Products within one head, whose matrices are too small for packed factors. Scalar is float or double.
// Compiled once per instruction set.

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
#include <limits>
#include <numeric>
#include <vector>

#include "core/tensor/row_math-inl.h"
#include "core/tensor/transpose.h"
#include "core/train/attention.h"
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

/// Rows of a matrix, `stride` numbers apart.
template <class Scalar>
struct SmallRows {
  Scalar* numbers;
  std::ptrdiff_t stride;
};

/// A column range of a matrix, from `first_row` on, as a factor or output.
template <class Scalar>
SmallRows<const Scalar> rows_of(const RowMatrix<Scalar>& matrix, int first_row, int first_col) {
  return {matrix.row(first_row) + first_col, matrix.cols()};
}
template <class Scalar>
SmallRows<Scalar> rows_to(RowMatrix<Scalar>& matrix, int first_row, int first_col) {
  return {matrix.row(first_row) + first_col, matrix.cols()};
}
template <class Scalar>
SmallFactor<Scalar> columns_of(const RowMatrix<Scalar>& matrix, int first_row, int first_col) {
  return {matrix.row(first_row) + first_col, matrix.cols(), 1};
}

/// Computes a tile of a small product: `rows` rows, one SIMD vector wide. Sums stay in registers.
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

/// The height of a tile, large enough to hide the latency of additions.
inline constexpr int tile_rows = 6;

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

/// out [n, width] = left [n, depth] · right [depth, width]. Rows are divided evenly into blocks, since a
/// small block takes as long as a full one.
template <class Scalar>
void small_product(SmallFactor<Scalar> left, SmallRows<const Scalar> right, int n, int depth, int width,
                   SmallRows<Scalar> out) {
  for (int blocks = (n + tile_rows - 1) / tile_rows; blocks > 0; --blocks) {
    const int rows = (n + blocks - 1) / blocks;
    small_block<tile_rows>(rows, left, right, depth, width, out);
    left.numbers += rows * left.row_step;
    out.numbers += rows * out.stride;
    n -= rows;
  }
}

/// Transposes the columns of a head to [width, padded n], so that keys are contiguous.
template <class Scalar>
void transpose_head(const RowMatrix<Scalar>& from, int first_row, int first_col, int n, int width,
                    AlignedVector<Scalar>& out) {
  const int stride = padded(n);
  out.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(stride));
  // Zero the padding, which is in the last vector of each row.
  for (int c = 1; c <= width; ++c) {
    Scalar* row_end = out.data() + static_cast<std::ptrdiff_t>(c) * stride;
    std::fill(row_end - vector_width, row_end, Scalar{0});
  }
  transpose(from.row(first_row) + first_col, from.cols(), n, width, out.data(), stride);
}

// The steps from scores to weights and back for one head of one sequence. Scalar is float or double.

/// The layout of a map, whose rows are padded to whole vectors.
struct MapLayout {
  int n_queries, n_keys;
  int stride;  ///< The padded length of a row.
  /// Whether only the lower triangle is computed, in bands of rows; cells to the right of a band are
  /// undefined.
  bool is_triangle = false;
};

/// The rows of a band: a multiple of tile_rows and vector_width.
inline constexpr int band_rows = 48;

/// Calls function(first row, number of rows, computed width) for each band of a map.
template <class Function>
void for_each_band(const MapLayout& at, Function function) {
  if (!at.is_triangle) return function(0, at.n_queries, at.stride);
  for (int first = 0; first < at.n_queries; first += band_rows) {
    const int n = std::min(band_rows, at.n_queries - first);
    function(first, n, std::min(padded(first + n), at.stride));
  }
}

/// scores [T, S] = queries [T, depth] · keys [depth, S].
template <class Scalar>
void score_product(const MapLayout& at, const SmallFactor<Scalar>& queries, const Scalar* keys, int depth,
                   Scalar* scores) {
  for_each_band(at, [&](int first, int n, int width) HWY_ATTR {
    const std::ptrdiff_t row = first;
    small_product<Scalar>({queries.numbers + row * queries.row_step, queries.row_step, queries.step},
                          {keys, at.stride}, n, depth, width, {scores + row * at.stride, at.stride});
  });
}

/// out [T, width] = map [T, S] · right [S, width].
template <class Scalar>
void map_product(const MapLayout& at, const Scalar* map, const SmallRows<const Scalar>& right, int width,
                 const SmallRows<Scalar>& out) {
  for_each_band(at, [&](int first, int n, int computed) HWY_ATTR {
    const std::ptrdiff_t row = first;
    small_product<Scalar>({map + row * at.stride, at.stride, 1}, right, n, std::min(computed, at.n_keys),
                          width, {out.numbers + row * out.stride, out.stride});
  });
}

/// out [S, width] = mapᵀ [S, T] · right [T, width].
template <class Scalar>
void transposed_map_product(const MapLayout& at, const Scalar* map, const SmallRows<const Scalar>& right,
                            int width, const SmallRows<Scalar>& out) {
  if (!at.is_triangle)
    return small_product<Scalar>({map, 1, at.stride}, right, at.n_keys, at.n_queries, width, out);
  // In a triangle, queries before a key do not see it.
  for (int first = 0; first < at.n_keys; first += band_rows) {
    const std::ptrdiff_t row = first;
    small_product<Scalar>({map + row * at.stride + row, 1, at.stride},
                          {right.numbers + row * right.stride, right.stride},
                          std::min(band_rows, at.n_keys - first), at.n_queries - first, width,
                          {out.numbers + row * out.stride, out.stride});
  }
}

/// Fills the hidden keys of a row of length `width`, and its padding, with a number.
template <class Scalar>
void fill_hidden(const MapLayout& at, const KeyVisibility& visibility, int query, Scalar number, int width,
                 Scalar* row) {
  int visible = visibility.causal ? std::min(query + 1, at.n_keys) : at.n_keys;
  if (visibility.sliding) {
    visible = std::min(visible, query + *visibility.sliding);
    std::fill(row, row + std::max(query + 1 - *visibility.sliding, 0), number);
  }
  std::fill(row + visible, row + width, number);
}

/// Softmax of rows, in place. Hidden cells and padding become 0. The exponentials of all rows are computed in
/// one loop, to hide latency. `sink` is the score of the attention sink, or null. `sink_terms` is scratch
/// memory.
template <class Scalar>
void softmax_rows(const MapLayout& at, const KeyVisibility& visibility, const Scalar* sink, Scalar* scores,
                  AlignedVector<Scalar>& sink_terms) {
  constexpr Scalar hidden = -std::numeric_limits<Scalar>::infinity();
  if (sink != nullptr) sink_terms.resize(static_cast<std::size_t>(at.n_queries));
  for_each_band(at, [&](int first, int n, int width) HWY_ATTR {
    const auto row_at = [&](int i) { return scores + static_cast<std::ptrdiff_t>(i) * at.stride; };
    for (int i = first; i < first + n; ++i) {
      Scalar* row = row_at(i);
      fill_hidden(at, visibility, i, hidden, width, row);
      Scalar maximum = row_maximum(row, width);
      if (sink != nullptr) {
        maximum = max_of(maximum, *sink);
        sink_terms[static_cast<std::size_t>(i)] = exponential(*sink - maximum);
      }
#pragma omp simd
      for (int j = 0; j < width; ++j) row[j] -= maximum;
    }
    const int n_rows_at_once = width == at.stride ? n : 1;
    for (int i = first; i < first + n; i += n_rows_at_once) {
      Scalar* row = row_at(i);
      const int count = n_rows_at_once * width;
#pragma omp simd
      for (int j = 0; j < count; ++j) row[j] = exponential(row[j]);
    }
    for (int i = first; i < first + n; ++i) {
      Scalar* row = row_at(i);
      const Scalar own = sink == nullptr ? Scalar{0} : sink_terms[static_cast<std::size_t>(i)];
      const Scalar inverse = Scalar{1} / (row_sum(row, width) + own);
#pragma omp simd
      for (int j = 0; j < width; ++j) row[j] *= inverse;
    }
  });
}

/// The products of two maps [queries, keys], without padding and 0 where hidden.
template <class Scalar>
std::vector<double> visible_products(const MapLayout& at, const KeyVisibility& visibility, const Scalar* a,
                                     const Scalar* b) {
  std::vector<double> products;
  products.reserve(static_cast<std::size_t>(at.n_queries) * static_cast<std::size_t>(at.n_keys));
  for (int i = 0; i < at.n_queries; ++i, a += at.stride, b += at.stride) {
    for (int j = 0; j < at.n_keys; ++j)
      products.push_back(visibility.hides(i, j) ? 0.0
                                                : static_cast<double>(a[j]) * static_cast<double>(b[j]));
  }
  return products;
}

/// The sum of squares over visible cells.
template <class Scalar>
double visible_sum_of_squares(const MapLayout& at, const KeyVisibility& visibility, const Scalar* numbers) {
  const std::vector<double> squares = visible_products(at, visibility, numbers, numbers);
  return std::accumulate(squares.begin(), squares.end(), 0.0);
}

/// Backward pass of softmax, in place: d_score = w · (d_w − Σ w d_w).
template <class Scalar>
void softmax_backward(const MapLayout& at, const Scalar* weights, Scalar* d_weights) {
  for_each_band(at, [&](int first, int n, int width) HWY_ATTR {
    for (std::ptrdiff_t i = first; i < first + n; ++i) {
      const Scalar* w = weights + i * at.stride;
      Scalar* d = d_weights + i * at.stride;
      const Scalar sum = sum_of<Scalar>(width, [=](int j) HWY_ATTR { return w[j] * d[j]; });
#pragma omp simd
      for (int j = 0; j < width; ++j) d[j] = w[j] * (d[j] - sum);
    }
  });
}

/// The gradient of a sink, whose weight in a row is w = 1 − Σ weights and whose value is 0: −w · Σ weights ·
/// d_weights, summed over rows.
template <class Scalar>
Scalar sink_gradient(const MapLayout& at, const Scalar* weights, const Scalar* d_weights) {
  Scalar gradient = 0;
  for (std::ptrdiff_t i = 0; i < at.n_queries; ++i) {
    const Scalar* w = weights + i * at.stride;
    const Scalar* d = d_weights + i * at.stride;
    const Scalar sum = sum_of<Scalar>(at.stride, [=](int j) HWY_ATTR { return w[j] * d[j]; });
    gradient -= (Scalar{1} - row_sum(w, at.stride)) * sum;
  }
  return gradient;
}

/// Divides rows of non-negative scores by their sums, in place. Hidden cells and padding become 0. Saves the
/// row sums in `sums`; a row with sum 0 stays 0.
template <class Scalar>
void normalize_rows(const MapLayout& at, const KeyVisibility& visibility, Scalar* scores, Scalar* sums) {
  for (int i = 0; i < at.n_queries; ++i) {
    Scalar* row = scores + static_cast<std::ptrdiff_t>(i) * at.stride;
    fill_hidden(at, visibility, i, Scalar{0}, at.stride, row);
    const Scalar sum = row_sum(row, at.stride);
    sums[i] = sum;
    if (sum == Scalar{0}) continue;
#pragma omp simd
    for (int j = 0; j < at.stride; ++j) row[j] /= sum;
  }
}

/// Backward pass of w = s / Σ s, in place: d_score = (d_w − Σ w d_w) / Σ s in visible cells, 0 elsewhere.
template <class Scalar>
void normalize_rows_backward(const MapLayout& at, const KeyVisibility& visibility, const Scalar* weights,
                             const Scalar* sums, Scalar* d_weights) {
  for (int i = 0; i < at.n_queries; ++i) {
    const Scalar* w = weights + static_cast<std::ptrdiff_t>(i) * at.stride;
    Scalar* d = d_weights + static_cast<std::ptrdiff_t>(i) * at.stride;
    const Scalar sum = sum_of<Scalar>(at.stride, [=](int j) HWY_ATTR { return w[j] * d[j]; });
    const Scalar scores = sums[i] == Scalar{0} ? std::numeric_limits<Scalar>::infinity() : sums[i];
#pragma omp simd
    for (int j = 0; j < at.stride; ++j) d[j] = (d[j] - sum) / scores;
    fill_hidden(at, visibility, i, Scalar{0}, at.stride, d);
  }
}

/// Adds the gradient of the attention loss −ln w with respect to the weights: −factor / w at the target key.
/// Skips rows whose target is negative or hidden.
template <class Scalar>
void attention_loss_backward_to_weights(const MapLayout& at, const KeyVisibility& visibility,
                                        const int* attention_targets, Scalar factor, const Scalar* weights,
                                        Scalar* d_weights) {
  for (int i = 0; i < at.n_queries; ++i, weights += at.stride, d_weights += at.stride) {
    if (attention_targets[i] < 0 || visibility.is_outside_window(i, attention_targets[i])) continue;
    if (weights[attention_targets[i]] > Scalar{0})
      d_weights[attention_targets[i]] -= factor / weights[attention_targets[i]];
  }
}

/// Adds the gradient of softmax and attention loss combined with respect to the scores: factor · (w − one-hot
/// of the target key). Skips rows whose target is negative or hidden.
template <class Scalar>
void attention_loss_backward_to_scores(const MapLayout& at, const KeyVisibility& visibility,
                                       const int* attention_targets, Scalar factor, const Scalar* weights,
                                       Scalar* d_scores) {
  for (int i = 0; i < at.n_queries; ++i, weights += at.stride, d_scores += at.stride) {
    if (attention_targets[i] < 0 || visibility.is_outside_window(i, attention_targets[i])) continue;
    for (int j = 0; j < at.n_keys; ++j) d_scores[j] += factor * weights[j];
    d_scores[attention_targets[i]] -= factor;
  }
}

/// The same gradient with respect to a sink, whose weight in a row is 1 − Σ weights.
template <class Scalar>
Scalar attention_loss_sink_gradient(const MapLayout& at, const KeyVisibility& visibility,
                                    const int* attention_targets, Scalar factor, const Scalar* weights) {
  Scalar sum = 0;
  for (int i = 0; i < at.n_queries; ++i, weights += at.stride) {
    if (attention_targets[i] >= 0 && !visibility.is_outside_window(i, attention_targets[i]))
      sum += Scalar{1} - row_sum(weights, at.stride);
  }
  return factor * sum;
}

/// Applies the softcap in place, and saves a copy for the backward pass.
template <class Scalar>
void cap_scores(const MapLayout& at, Scalar cap, Scalar* scores, Scalar* kept) {
  const Scalar inverse = Scalar{1} / cap;
  const int n = at.n_queries * at.stride;
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    scores[i] = cap * hyperbolic_tangent(scores[i] * inverse);
    kept[i] = scores[i];
  }
}

/// Backward pass of c · tanh(x / c): times 1 − (capped / c)².
template <class Scalar>
void softcap_backward(const MapLayout& at, Scalar cap, const Scalar* capped, Scalar* d_scores) {
  const Scalar inverse = Scalar{1} / cap;
  const int n = at.n_queries * at.stride;
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    const Scalar share = capped[i] * inverse;
    d_scores[i] *= Scalar{1} - share * share;
  }
}

/// The gradient of keys or values shared by a group of heads: mapᵀ · right, summed over heads. The first head
/// overwrites `out`.
template <class Scalar>
void shared_product(bool is_first, const MapLayout& at, const Scalar* map,
                    const SmallRows<const Scalar>& right, int width, const SmallRows<Scalar>& out,
                    AlignedVector<Scalar>& scratch) {
  if (is_first) return transposed_map_product<Scalar>(at, map, right, width, out);
  scratch.resize(static_cast<std::size_t>(at.n_keys) * static_cast<std::size_t>(width));
  transposed_map_product<Scalar>(at, map, right, width, {scratch.data(), width});
  for (int r = 0; r < at.n_keys; ++r) {
    const Scalar* from = scratch.data() + static_cast<std::ptrdiff_t>(r) * width;
    Scalar* to = out.numbers + r * out.stride;
#pragma omp simd
    for (int c = 0; c < width; ++c) to[c] += from[c];
  }
}

}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
