// From scores to weights and back, of one head of one sequence. Scalar is float or double. Compiled once for
// each instruction set.

// Included again for each target, unlike what #pragma once allows.
#if defined(HEADSCOPE_CORE_TRAIN_SCORE_KERNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADSCOPE_CORE_TRAIN_SCORE_KERNELS_INL_H
#undef HEADSCOPE_CORE_TRAIN_SCORE_KERNELS_INL_H
#else
#define HEADSCOPE_CORE_TRAIN_SCORE_KERNELS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/tensor/row_math-inl.h"
#include "core/train/head_kernels-inl.h"
#include "core/train/seen_keys.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {

/// The sizes of a map: rows of scores, each as long as its keys are rounded up to whole vectors.
struct ScoreRows {
  int n_queries, n_keys;
  int stride;  ///< of a row
};

/// Rows of scores to weights, in place; what is hidden or fills a row up to its stride becomes 0. The
/// exponentials of all rows are one loop: a row alone is so short that each would wait for the one before.
/// `sink`: a score that takes part in every row without a place in it; null: there is none. `of_sink` is what
/// it works in.
template <class Scalar>
void softmax_rows(const ScoreRows& at, const SeenKeys& seen, const Scalar* sink, Scalar* scores,
                  Numbers<Scalar>& of_sink) {
  constexpr Scalar hidden = -std::numeric_limits<Scalar>::infinity();
  const int n = at.stride;
  if (sink != nullptr) of_sink.resize(static_cast<std::size_t>(at.n_queries));
  for (int i = 0; i < at.n_queries; ++i) {
    Scalar* row = scores + static_cast<std::ptrdiff_t>(i) * n;
    int visible = seen.causal ? std::min(i + 1, at.n_keys) : at.n_keys;
    if (seen.sliding) {
      visible = std::min(visible, i + *seen.sliding);
      std::fill(row, row + std::max(i + 1 - *seen.sliding, 0), hidden);
    }
    std::fill(row + visible, row + n, hidden);
    Scalar maximum = row_maximum(row, n);
    if (sink != nullptr) {
      maximum = greater(maximum, *sink);
      of_sink[static_cast<std::size_t>(i)] = exponential(*sink - maximum);
    }
#pragma omp simd
    for (int j = 0; j < n; ++j) row[j] -= maximum;
  }
  const int count = at.n_queries * n;
#pragma omp simd
  for (int j = 0; j < count; ++j) scores[j] = exponential(scores[j]);
  for (int i = 0; i < at.n_queries; ++i) {
    Scalar* row = scores + static_cast<std::ptrdiff_t>(i) * n;
    const Scalar own = sink == nullptr ? Scalar{0} : of_sink[static_cast<std::size_t>(i)];
    const Scalar inverse = Scalar{1} / (row_sum(row, n) + own);
#pragma omp simd
    for (int j = 0; j < n; ++j) row[j] *= inverse;
  }
}

/// The derivative of softmax: d_score = w · (d_w − Σ w d_w), in place of d_w.
template <class Scalar>
void softmax_backward(const ScoreRows& at, const Scalar* weights, Scalar* d_weights) {
  for (std::ptrdiff_t i = 0; i < at.n_queries; ++i) {
    const Scalar* w = weights + i * at.stride;
    Scalar* d = d_weights + i * at.stride;
    const Scalar sum = sum_of<Scalar>(at.stride, [=](int j) HWY_ATTR { return w[j] * d[j]; });
#pragma omp simd
    for (int j = 0; j < at.stride; ++j) d[j] = w[j] * (d[j] - sum);
  }
}

/// The gradient by a sink, from d_weights: its weight in a row is w = 1 − Σ weights, and its value 0, so that
/// it is −w · Σ weights · d_weights.
template <class Scalar>
Scalar sink_gradient(const ScoreRows& at, const Scalar* weights, const Scalar* d_weights) {
  Scalar gradient = 0;
  for (std::ptrdiff_t i = 0; i < at.n_queries; ++i) {
    const Scalar* w = weights + i * at.stride;
    const Scalar* d = d_weights + i * at.stride;
    const Scalar sum = sum_of<Scalar>(at.stride, [=](int j) HWY_ATTR { return w[j] * d[j]; });
    gradient -= (Scalar{1} - row_sum(w, at.stride)) * sum;
  }
  return gradient;
}

/// Of softmax and cross-entropy together, by the scores: w − one-hot at each row's look, times the look's
/// weight; a row whose look is negative, or hidden, has none.
template <class Scalar>
void add_look_gradients(const ScoreRows& at, const SeenKeys& seen, const int* looks, Scalar factor,
                        const Scalar* weights, Scalar* d_scores) {
  for (int i = 0; i < at.n_queries; ++i, weights += at.stride, d_scores += at.stride) {
    if (looks[i] < 0 || seen.slides_past(i, looks[i])) continue;
    for (int j = 0; j < at.n_keys; ++j) d_scores[j] += factor * weights[j];
    d_scores[looks[i]] -= factor;
  }
}

/// The same by a sink, whose weight is what the row's leave of 1.
template <class Scalar>
Scalar look_gradient_of_sink(const ScoreRows& at, const SeenKeys& seen, const int* looks, Scalar factor,
                             const Scalar* weights) {
  Scalar sum = 0;
  for (int i = 0; i < at.n_queries; ++i, weights += at.stride) {
    if (looks[i] >= 0 && !seen.slides_past(i, looks[i])) sum += Scalar{1} - row_sum(weights, at.stride);
  }
  return factor * sum;
}

/// Squashes scores in place, and keeps them for the derivative.
template <class Scalar>
void cap_scores(const ScoreRows& at, Scalar cap, Scalar* scores, Scalar* kept) {
  const Scalar inverse = Scalar{1} / cap;
  const int n = at.n_queries * at.stride;
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    scores[i] = cap * hyperbolic_tangent(scores[i] * inverse);
    kept[i] = scores[i];
  }
}

/// The derivative of c · tanh(x / c): 1 − (capped / c)².
template <class Scalar>
void softcap_backward(const ScoreRows& at, Scalar cap, const Scalar* capped, Scalar* d_scores) {
  const Scalar inverse = Scalar{1} / cap;
  const int n = at.n_queries * at.stride;
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    const Scalar share = capped[i] * inverse;
    d_scores[i] *= Scalar{1} - share * share;
  }
}

/// A gradient of what the heads of a group share: the first one's replaces what is there, the others' are
/// added to it.
template <class Scalar>
void shared_product(bool is_first, const SmallFactor<Scalar>& left, const SmallRows<const Scalar>& right,
                    int n, int depth, int width, const SmallRows<Scalar>& out, Numbers<Scalar>& scratch) {
  if (is_first) return small_product<Scalar>(left, right, n, depth, width, out);
  scratch.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(width));
  small_product<Scalar>(left, right, n, depth, width, {scratch.data(), width});
  for (int r = 0; r < n; ++r) {
    const Scalar* from = scratch.data() + static_cast<std::ptrdiff_t>(r) * width;
    Scalar* to = out.numbers + r * out.stride;
#pragma omp simd
    for (int c = 0; c < width; ++c) to[c] += from[c];
  }
}

}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
