#include "core/tensor/softmax.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

// The loops below are written for the compiler's vectoriser: no branches, no calls, independent iterations.

namespace headscope {
namespace {

/// e^x for x ≤ 0: x = n·ln 2 + r with |r| ≤ ln 2 / 2, a polynomial in r (the coefficients of Cephes' expf,
/// Moshier 1992), and n put into the exponent's bits. NaN, as arithmetic makes it, stays NaN.
inline float exponential(float x) {
  constexpr float log2_e = 1.44269504088896341F;
  constexpr float ln2_high = 0.693359375F;
  constexpr float ln2_low = -2.12194440e-4F;
  constexpr float least = -87.3365402F;  // ln of the least normal float
  const float clamped = x < least ? least : x;
  // Adding 1.5 · 2²³ rounds to the nearest integer, which then stands in the lowest bits: no cast to an
  // integer, which NaN would make undefined.
  constexpr float round = 12582912.0F;
  const float rounded = clamped * log2_e + round;
  const float n = rounded - round;
  float r = clamped - n * ln2_high;
  r -= n * ln2_low;
  float p = 1.9875691500E-4F;
  p = p * r + 1.3981999507E-3F;
  p = p * r + 8.3334519073E-3F;
  p = p * r + 4.1665795894E-2F;
  p = p * r + 1.6666665459E-1F;
  p = p * r + 5.0000001201E-1F;
  p = p * r * r + r + 1.0F;
  constexpr int exponent_bit = 23;
  const std::uint32_t bits =
      std::bit_cast<std::uint32_t>(p) + (std::bit_cast<std::uint32_t>(rounded) << exponent_bit);
  return x < least ? 0.0F : std::bit_cast<float>(bits);
}

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Short rows are reduced four in step, so that the steps of one do not wait for each other; long rows one by
/// one, each in whole vectors.
constexpr int short_row = 24;
constexpr int group_rows = 4;

template <int rows>
using RowGroup = std::array<float, rows>;

template <int rows>
RowGroup<rows> maxima_of(const float* first, int n) {
  RowGroup<rows> maxima;
  if constexpr (rows == 1) {
    float maximum = minus_infinity;
#pragma omp simd reduction(max : maximum)
    for (int i = 0; i < n; ++i) maximum = maximum < first[i] ? first[i] : maximum;
    maxima[0] = maximum;
  } else {
    maxima.fill(minus_infinity);
    for (int i = 0; i < n; ++i) {
      for (int r = 0; r < rows; ++r) {
        const float value = first[r * n + i];
        maxima[r] = maxima[r] < value ? value : maxima[r];
      }
    }
  }
  return maxima;
}

template <int rows>
RowGroup<rows> sums_of(const float* first, int n) {
  RowGroup<rows> sums{};
  if constexpr (rows == 1) {
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += first[i];
    sums[0] = sum;
  } else {
    for (int i = 0; i < n; ++i) {
      for (int r = 0; r < rows; ++r) sums[r] += first[r * n + i];
    }
  }
  return sums;
}

/// Calls work<4>(first) or work<1>(first) until every row of the block has had its turn.
template <class Work>
void for_row_groups(const ScoreBlock& block, Work work) {
  int row = 0;
  for (; row + group_rows <= block.rows; row += group_rows) work.template operator()<group_rows>(row);
  for (; row < block.rows; ++row) work.template operator()<1>(row);
}

/// What is subtracted before the exponential: never −∞, which would make −∞ − −∞ a NaN.
float base_of(float maximum) {
  return maximum == minus_infinity ? 0.0F : maximum;
}

/// The sum of exponentials is at least 1 (the maximum's) unless nothing is visible; then the row stays 0. A
/// score that is no number makes the whole row none.
float inverse_of(float sum) {
  return sum == 0.0F ? 0.0F : 1.0F / sum;
}

std::size_t count(const ScoreBlock& block) {
  return static_cast<std::size_t>(block.rows) * static_cast<std::size_t>(block.cols);
}

}  // namespace

void scale_and_mask(const ScoreBlock& block, float factor, float mask_value) {
  const std::size_t n = count(block);
  const float* raw = block.raw;
  float* scaled = block.scaled;
  float* masked = block.masked;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) scaled[i] = raw[i] * factor;
  if (masked == scaled) return;
  if (block.added != nullptr) {
    const float* added = block.added;
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) masked[i] = scaled[i] + added[i];
  } else {
    std::copy(scaled, scaled + n, masked);
  }
  for (int r = 0; block.biases != nullptr && r < block.rows; ++r) {
    const float* biases = block.biases - r;
    float* row = masked + static_cast<std::ptrdiff_t>(r) * block.cols;
#pragma omp simd
    for (int i = 0; i < block.cols; ++i) row[i] += biases[i];
  }
  if (block.visible != nullptr) {
    const std::uint8_t* visible = block.visible;
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) masked[i] = visible[i] != 0 ? masked[i] : mask_value;
  }
}

namespace {

/// A row long enough to fill vectors by itself: exponentials and their sum in one go.
void softmax_of_row(const float* masked, int n, float* weights) {
  float maximum = minus_infinity;
#pragma omp simd reduction(max : maximum)
  for (int i = 0; i < n; ++i) maximum = maximum < masked[i] ? masked[i] : maximum;
  const float base = base_of(maximum);
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    weights[i] = exponential(masked[i] - base);
    sum += weights[i];
  }
  const float inverse = inverse_of(sum);
#pragma omp simd
  for (int i = 0; i < n; ++i) weights[i] *= inverse;
}

/// Rows too short for that: all of them at once, because each would leave most of a vector empty.
void softmax_of_short_rows(const ScoreBlock& block) {
  const int n = block.cols;
  const auto at = [n](float* matrix, int row) { return matrix + static_cast<std::ptrdiff_t>(row) * n; };
  for_row_groups(block, [&]<int rows>(int first) {
    const RowGroup<rows> bases = maxima_of<rows>(at(block.masked, first), n);
    for (int r = 0; r < rows; ++r) {
      const float* masked = at(block.masked, first + r);
      float* weights = at(block.weights, first + r);
      const float base = base_of(bases[r]);
#pragma omp simd
      for (int i = 0; i < n; ++i) weights[i] = masked[i] - base;
    }
  });
  exponentials(block.weights, static_cast<int>(count(block)));
  for_row_groups(block, [&]<int rows>(int first) {
    const RowGroup<rows> sums = sums_of<rows>(at(block.weights, first), n);
    for (int r = 0; r < rows; ++r) {
      float* weights = at(block.weights, first + r);
      const float inverse = inverse_of(sums[r]);
#pragma omp simd
      for (int i = 0; i < n; ++i) weights[i] *= inverse;
    }
  });
}

}  // namespace

void softmax_over_keys(const ScoreBlock& block) {
  if (block.cols < short_row) return softmax_of_short_rows(block);
  for (int r = 0; r < block.rows; ++r) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r) * block.cols;
    softmax_of_row(block.masked + at, block.cols, block.weights + at);
  }
}

void softmax_over_queries(const ScoreBlock& block) {
  const int n = block.cols;
  std::vector<float> columns(static_cast<std::size_t>(n), minus_infinity);
  const auto at = [n](float* matrix, int row) { return matrix + static_cast<std::ptrdiff_t>(row) * n; };
  for (int r = 0; r < block.rows; ++r) {
    const float* masked = at(block.masked, r);
    for (int i = 0; i < n; ++i)
      columns[static_cast<std::size_t>(i)] = std::max(columns[static_cast<std::size_t>(i)], masked[i]);
  }
  for (float& maximum : columns) maximum = base_of(maximum);
  for (int r = 0; r < block.rows; ++r) {
    const float* masked = at(block.masked, r);
    float* weights = at(block.weights, r);
    for (int i = 0; i < n; ++i) weights[i] = masked[i] - columns[static_cast<std::size_t>(i)];
    exponentials(weights, n);
  }
  std::fill(columns.begin(), columns.end(), 0.0F);
  for (int r = 0; r < block.rows; ++r) {
    const float* weights = at(block.weights, r);
    for (int i = 0; i < n; ++i) columns[static_cast<std::size_t>(i)] += weights[i];
  }
  for (float& sum : columns) sum = inverse_of(sum);
  for (int r = 0; r < block.rows; ++r) {
    float* weights = at(block.weights, r);
    for (int i = 0; i < n; ++i) weights[i] *= columns[static_cast<std::size_t>(i)];
  }
}

void exponentials(float* values, int n) {
#pragma omp simd
  for (int i = 0; i < n; ++i) values[i] = exponential(values[i]);
}

void exponentials(double* values, int n) {
  for (int i = 0; i < n; ++i) values[i] = std::exp(values[i]);
}

}  // namespace headscope
