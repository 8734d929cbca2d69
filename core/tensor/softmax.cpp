#include "core/tensor/softmax.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"

// The loops below are written to be auto-vectorised: no branches, no calls, independent iterations.

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

constexpr int group_rows = 4;

template <int rows>
struct RowGroup {
  float of[rows];
};

template <int rows>
RowGroup<rows> maxima_of(const float* first, int n) {
  RowGroup<rows> maxima;
  for (float& maximum : maxima.of) maximum = minus_infinity;
  for (int i = 0; i < n; ++i) {
    for (int r = 0; r < rows; ++r) maxima.of[r] = max_of(maxima.of[r], first[r * n + i]);
  }
  return maxima;
}

template <int rows>
RowGroup<rows> sums_of(const float* first, int n) {
  RowGroup<rows> sums{};
  for (int i = 0; i < n; ++i) {
    for (int r = 0; r < rows; ++r) sums.of[r] += first[r * n + i];
  }
  return sums;
}

/// Calls work<4>(first) or work<1>(first) until every row of the block has been processed.
template <class Work>
HWY_INLINE void for_row_groups(const ScoreBlock& block, const Work& work) {
  int row = 0;
  for (; row + group_rows <= block.rows; row += group_rows) work.template operator()<group_rows>(row);
  for (; row < block.rows; ++row) work.template operator()<1>(row);
}

/// The number to subtract before exponentiating; never −∞, since −∞ − −∞ would be NaN.
HWY_INLINE float base_of(float maximum) {
  return maximum == minus_infinity ? 0.0F : maximum;
}

/// The sum of the exponentials is at least 1 (the maximum's own) unless nothing is visible; the row then
/// stays 0. A NaN among the scores makes the whole row NaN.
HWY_INLINE float inverse_of(float sum) {
  return sum == 0.0F ? 0.0F : 1.0F / sum;
}

HWY_INLINE std::ptrdiff_t count(const ScoreBlock& block) {
  return static_cast<std::ptrdiff_t>(block.rows) * block.cols;
}

HWY_INLINE float* row_of(const ScoreBlock& block, float* matrix, int row) {
  return matrix + static_cast<std::ptrdiff_t>(row) * block.cols;
}

void softcap_of_all(const float* values, std::ptrdiff_t n, float cap, float* out) {
  const float inverse = 1.0F / cap;
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = cap * hyperbolic_tangent(values[i] * inverse);
}

/// Writes the mask value to the hidden cells of a row.
void hide(const VisibleKeys& keys, int n, float mask_value, float* row) {
  if (keys.all) return;
  int done = 0;
  for (const KeyRange& range : keys.ranges) {
    const int first = std::max(range.first - keys.first, done);
    if (first >= n) break;
    std::fill(row + done, row + first, mask_value);
    done = std::clamp(range.last - keys.first, first, n);
    for (int key = first; keys.step > 1 && key < done; ++key) {
      if (!keys.is_on_step(key)) row[key] = mask_value;
    }
  }
  std::fill(row + done, row + n, mask_value);
}

void scale_and_mask_block(const ScoreBlock& block, float factor, float mask_value) {
  const std::ptrdiff_t n = count(block);
  const float* raw = block.raw;
  float* scaled = block.scaled;
  float* masked = block.masked;
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i) scaled[i] = raw[i] * factor;
  if (block.softcap > 0.0F) softcap_of_all(scaled, n, block.softcap, block.capped);
  scaled = block.softcap > 0.0F ? block.capped : scaled;
  if (masked == scaled) return;
  if (block.added != nullptr) {
    const float* added = block.added;
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < n; ++i) masked[i] = scaled[i] + added[i];
  } else {
    std::copy(scaled, scaled + n, masked);
  }
  for (int r = 0; block.biases != nullptr && r < block.rows; ++r) {
    const float* biases = block.biases - r;
    float* row = row_of(block, masked, r);
#pragma omp simd
    for (int i = 0; i < block.cols; ++i) row[i] += biases[i];
  }
  for (int r = 0; block.visible != nullptr && r < block.rows; ++r) {
    hide(block.visible->row(block.first_visible + r).from(block.first_key), block.cols, mask_value,
         row_of(block, masked, r));
  }
}

void exponentials_of_row(float* values, int n) {
#pragma omp simd
  for (int i = 0; i < n; ++i) values[i] = exponential(values[i]);
}

/// The sink's term in the sum of a row.
HWY_INLINE float share_of(float sink, float base) {
  return sink == no_sink ? 0.0F : exponential(sink - base);
}

/// Softmax of a row long enough to fill vectors; computes exponentials and their sum in one loop.
void softmax_of_row(const float* masked, int n, float sink, float* weights) {
  const float base = base_of(max_of(row_maximum(masked, n), sink));
  const float sum = sum_of<float>(n, [=](int i) HWY_ATTR {
    weights[i] = exponential(masked[i] - base);
    return weights[i];
  });
  const float inverse = inverse_of(sum + share_of(sink, base));
#pragma omp simd
  for (int i = 0; i < n; ++i) weights[i] *= inverse;
}

/// Computes share_of() for a row whose maximum is no longer known.
float sink_of_short_row(const ScoreBlock& block, int row) {
  const float* masked = row_of(block, block.masked, row);
  return share_of(block.sink, base_of(max_of(maxima_of<1>(masked, block.cols).of[0], block.sink)));
}

/// Softmax of short rows, exponentiated together, because each alone would leave most of a vector empty.
void softmax_of_short_rows(const ScoreBlock& block) {
  const int n = block.cols;
  for_row_groups(block, [&]<int rows>(int first) HWY_ATTR {
    const RowGroup<rows> maxima = maxima_of<rows>(row_of(block, block.masked, first), n);
    for (int r = 0; r < rows; ++r) {
      const float* masked = row_of(block, block.masked, first + r);
      float* weights = row_of(block, block.weights, first + r);
      const float base = base_of(max_of(maxima.of[r], block.sink));
#pragma omp simd
      for (int i = 0; i < n; ++i) weights[i] = masked[i] - base;
    }
  });
  exponentials_of_row(block.weights, static_cast<int>(count(block)));
  const bool has_sink = block.sink != no_sink;
  for_row_groups(block, [&]<int rows>(int first) HWY_ATTR {
    const RowGroup<rows> sums = sums_of<rows>(row_of(block, block.weights, first), n);
    for (int r = 0; r < rows; ++r) {
      float* weights = row_of(block, block.weights, first + r);
      const float own = has_sink ? sink_of_short_row(block, first + r) : 0.0F;
      const float inverse = inverse_of(sums.of[r] + own);
#pragma omp simd
      for (int i = 0; i < n; ++i) weights[i] *= inverse;
    }
  });
}

void softmax_of_rows(const ScoreBlock& block) {
  if (block.cols < short_row) return softmax_of_short_rows(block);
  for (int r = 0; r < block.rows; ++r) {
    softmax_of_row(row_of(block, block.masked, r), block.cols, block.sink, row_of(block, block.weights, r));
  }
}

/// `columns` is scratch memory with a number per column.
void softmax_of_columns(const ScoreBlock& block, float* columns) {
  const int n = block.cols;
  std::fill_n(columns, n, minus_infinity);
  for (int r = 0; r < block.rows; ++r) {
    const float* masked = row_of(block, block.masked, r);
#pragma omp simd
    for (int i = 0; i < n; ++i) columns[i] = max_of(columns[i], masked[i]);
  }
  for (int i = 0; i < n; ++i) columns[i] = base_of(columns[i]);
  for (int r = 0; r < block.rows; ++r) {
    const float* masked = row_of(block, block.masked, r);
    float* weights = row_of(block, block.weights, r);
#pragma omp simd
    for (int i = 0; i < n; ++i) weights[i] = exponential(masked[i] - columns[i]);
  }
  std::fill_n(columns, n, 0.0F);
  for (int r = 0; r < block.rows; ++r) {
    const float* weights = row_of(block, block.weights, r);
#pragma omp simd
    for (int i = 0; i < n; ++i) columns[i] += weights[i];
  }
  for (int i = 0; i < n; ++i) columns[i] = inverse_of(columns[i]);
  for (int r = 0; r < block.rows; ++r) {
    float* weights = row_of(block, block.weights, r);
#pragma omp simd
    for (int i = 0; i < n; ++i) weights[i] *= columns[i];
  }
}

void normalize_rows(const ScoreBlock& block) {
  for (int r = 0; r < block.rows; ++r) {
    const float* scores = row_of(block, block.masked, r);
    float* weights = row_of(block, block.weights, r);
    const float sum = sum_of<float>(block.cols, [=](int i) HWY_ATTR {
      weights[i] = scores[i] < 0.0F ? 0.0F : scores[i];
      return weights[i];
    });
    if (sum == 0.0F) continue;
      // Divides, because the inverse of a subnormal sum would be infinite.
#pragma omp simd
    for (int i = 0; i < block.cols; ++i) weights[i] /= sum;
  }
}

template <class Scalar>
std::pair<Scalar, Scalar> exponentials_below_maximum(Scalar* row, int n) {
  const Scalar maximum = row_maximum(row, n);
  const Scalar sum = sum_of<Scalar>(n, [=](int i) HWY_ATTR {
    row[i] = exponential(row[i] - maximum);
    return row[i];
  });
  return {maximum, sum};
}

std::pair<float, float> row_exponentials_of_floats(float* row, int n) {
  return exponentials_below_maximum(row, n);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(scale_and_mask_block);
HWY_EXPORT(softcap_of_all);
HWY_EXPORT(exponentials_of_row);
HWY_EXPORT(softmax_of_rows);
HWY_EXPORT(softmax_of_columns);
HWY_EXPORT(normalize_rows);
HWY_EXPORT(row_exponentials_of_floats);

}  // namespace

void scale_and_mask(const ScoreBlock& block, float factor, float mask_value) {
  HWY_DYNAMIC_DISPATCH(scale_and_mask_block)(block, factor, mask_value);
}

void softcap(const float* values, std::size_t n, float cap, float* out) {
  HWY_DYNAMIC_DISPATCH(softcap_of_all)(values, static_cast<std::ptrdiff_t>(n), cap, out);
}

void softcap(const double* values, std::size_t n, double cap, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = cap * std::tanh(values[i] / cap);
}

void softmax_over_keys(const ScoreBlock& block) {
  HWY_DYNAMIC_DISPATCH(softmax_of_rows)(block);
}

void softmax_over_queries(const ScoreBlock& block) {
  std::vector<float> columns(static_cast<std::size_t>(block.cols));
  HWY_DYNAMIC_DISPATCH(softmax_of_columns)(block, columns.data());
}

void normalize_over_keys(const ScoreBlock& block) {
  HWY_DYNAMIC_DISPATCH(normalize_rows)(block);
}

void exp_in_place(float* values, int n) {
  HWY_DYNAMIC_DISPATCH(exponentials_of_row)(values, n);
}

std::pair<float, float> exp_row_in_place(float* row, int n) {
  return HWY_DYNAMIC_DISPATCH(row_exponentials_of_floats)(row, n);
}

std::pair<double, double> exp_row_in_place(double* row, int n) {
  return HWY_STATIC_DISPATCH(exponentials_below_maximum)(row, n);
}

}  // namespace headscope
#endif
