#include "core/train/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/model/attention.h"
#include "core/model/positions.h"
#include "core/train/rotary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/train/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"
#include "core/train/head_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

/// One head of one sequence: where its numbers are.
struct Place {
  int head;
  int n_queries, n_keys;
  int first_query, first_key;
  std::ptrdiff_t map;  ///< of its weights
  int stride;          ///< of a row of weights
};

template <class Function>
void for_each_head(const HeadPlan& plan, const Sequences& queries, const Sequences& keys, Function function) {
  std::ptrdiff_t map = 0;
  for (int s = 0; s < queries.count(); ++s) {
    Place place{0, queries.length(s), keys.length(s), queries.begin(s), keys.begin(s), map, 0};
    place.stride = padded(place.n_keys);
    for (place.head = 0; place.head < plan.architecture.n_heads; ++place.head) {
      place.map = map;
      function(place, s);
      map += static_cast<std::ptrdiff_t>(place.n_queries) * place.stride;
    }
  }
}

std::size_t map_numbers(const HeadPlan& plan, const Sequences& queries, const Sequences& keys) {
  std::size_t n = 0;
  for (int s = 0; s < queries.count(); ++s) {
    n += static_cast<std::size_t>(queries.length(s)) * static_cast<std::size_t>(padded(keys.length(s)));
  }
  return n * static_cast<std::size_t>(plan.architecture.n_heads);
}

/// Rows of scores to weights, in place; what is hidden or fills a row up to its stride becomes 0. The
/// exponentials of all rows are one loop: a row alone is so short that each would wait for the one before.
template <class Scalar>
void softmax_rows(const Place& place, const HeadPlan& plan, Scalar* scores) {
  constexpr Scalar hidden = -std::numeric_limits<Scalar>::infinity();
  const int n = place.stride;
  for (int i = 0; i < place.n_queries; ++i) {
    Scalar* row = scores + static_cast<std::ptrdiff_t>(i) * n;
    int visible = plan.causal ? std::min(i + 1, place.n_keys) : place.n_keys;
    if (plan.sliding) {
      visible = std::min(visible, i + *plan.sliding);
      std::fill(row, row + std::max(i + 1 - *plan.sliding, 0), hidden);
    }
    std::fill(row + visible, row + n, hidden);
    const Scalar maximum = row_maximum(row, n);
#pragma omp simd
    for (int j = 0; j < n; ++j) row[j] -= maximum;
  }
  const int count = place.n_queries * n;
#pragma omp simd
  for (int j = 0; j < count; ++j) scores[j] = exponential(scores[j]);
  for (int i = 0; i < place.n_queries; ++i) {
    Scalar* row = scores + static_cast<std::ptrdiff_t>(i) * n;
    const Scalar inverse = Scalar{1} / row_sum(row, n);
#pragma omp simd
    for (int j = 0; j < n; ++j) row[j] *= inverse;
  }
}

int bias_index(int distance) {
  return std::clamp(distance, -max_relative_distance, max_relative_distance) + max_relative_distance;
}

template <class Scalar>
void add_biases(const HeadPlan& plan, const Place& place, const Scalar* relative, Scalar* scores) {
  const Positions positions = plan.architecture.positions;
  if (!plan.has_positions || !plan.architecture.biases_positions()) return;
  const auto slope = static_cast<Scalar>(alibi_slope(place.head, plan.architecture.n_heads));
  for (int i = 0; i < place.n_queries; ++i) {
    Scalar* row = scores + static_cast<std::ptrdiff_t>(i) * place.stride;
    for (int j = 0; j < place.n_keys; ++j) {
      row[j] += positions == Positions::alibi
                    ? -slope * static_cast<Scalar>(std::abs(j - i))
                    : relative[place.head * relative_table_width + bias_index(j - i)];
    }
  }
}

template <class Scalar>
void draw_factors(const HeadPlan& plan, const Place& place, int sequence, Scalar* factors) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
  const Dropout dropout{plan.dropout, plan.stream + golden * static_cast<std::uint64_t>(sequence + 1)};
  std::vector<float> row(static_cast<std::size_t>(place.n_keys));
  for (int i = 0; i < place.n_queries; ++i) {
    dropout.factors(place.head, i, row);
    Scalar* to = factors + static_cast<std::ptrdiff_t>(i) * place.stride;
    for (std::size_t j = 0; j < row.size(); ++j) to[j] = static_cast<Scalar>(row[j]);
  }
}

/// weights · factors, where dropout removes some.
template <class Scalar>
const Scalar* used_weights(const HeadState<Scalar>& state, const Place& place, Numbers<Scalar>& scratch) {
  const Scalar* weights = state.weights.data() + place.map;
  if (state.factors.empty()) return weights;
  const auto n = static_cast<std::size_t>(place.n_queries) * static_cast<std::size_t>(place.stride);
  scratch.resize(n);
  const Scalar* factors = state.factors.data() + place.map;
  for (std::size_t i = 0; i < n; ++i) scratch[i] = weights[i] * factors[i];
  return scratch.data();
}

/// The derivative of softmax: d_score = w · (d_w − Σ w d_w), in place of d_w.
template <class Scalar>
void softmax_backward(const Place& place, const Scalar* weights, Scalar* d_weights) {
  for (std::ptrdiff_t i = 0; i < place.n_queries; ++i) {
    const Scalar* w = weights + i * place.stride;
    Scalar* d = d_weights + i * place.stride;
    const Scalar sum = sum_of<Scalar>(place.stride, [=](int j) HWY_ATTR { return w[j] * d[j]; });
#pragma omp simd
    for (int j = 0; j < place.stride; ++j) d[j] = w[j] * (d[j] - sum);
  }
}

/// All cells of one distance share one bias.
template <class Scalar>
void add_bias_gradients(const Place& place, const Scalar* d_scores, Scalar* d_relative) {
  for (int i = 0; i < place.n_queries; ++i) {
    const Scalar* row = d_scores + static_cast<std::ptrdiff_t>(i) * place.stride;
    for (int j = 0; j < place.n_keys; ++j)
      d_relative[place.head * relative_table_width + bias_index(j - i)] += row[j];
  }
}

/// Of softmax and cross-entropy together, by the scores: w − one-hot, times the look's weight.
template <class Scalar>
void add_look_gradients(const HeadPlan& plan, const Place& place, const Scalar* weights, Scalar* d_scores) {
  const Shard& teacher = *plan.teacher;
  const auto factor = static_cast<Scalar>(place.head == taught_head ? teacher.look_weight : 0.0);
  const int* looks = teacher.looks.data() + place.first_query;
  for (int i = 0; i < place.n_queries; ++i, weights += place.stride, d_scores += place.stride) {
    if (looks[i] < 0 || plan.slides_past(i, looks[i])) continue;
    for (int j = 0; j < place.n_keys; ++j) d_scores[j] += factor * weights[j];
    d_scores[looks[i]] -= factor;
  }
}

template <class Scalar>
void all_heads_forward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                       const Scalar* relative, HeadState<Scalar>& state) {
  const int width = plan.architecture.head_width();
  const int value_width = plan.architecture.value_width();
  state.weights.resize(map_numbers(plan, queries, keys));
  state.factors.assign(plan.dropout > 0.0F ? state.weights.size() : 0, Scalar{0});
  state.concat.resize(queries.rows(), plan.architecture.concat_width());
  const Scalar scale = Scalar{1} / std::sqrt(static_cast<Scalar>(width));
  Numbers<Scalar> transposed, dropped;
  for_each_head(plan, queries, keys, [&](const Place& place, int sequence) HWY_ATTR {
    transpose_head(state.key, place.first_key, place.head * width, place.n_keys, width, transposed);
    for (Scalar& number : transposed) number *= scale;
    Scalar* scores = state.weights.data() + place.map;
    small_product<Scalar>(columns_of(state.query, place.first_query, place.head * width),
                          {transposed.data(), place.stride}, place.n_queries, width, place.stride,
                          {scores, place.stride});
    add_biases(plan, place, relative, scores);
    softmax_rows(place, plan, scores);
    if (plan.dropout > 0.0F) draw_factors(plan, place, sequence, state.factors.data() + place.map);
    const Scalar* weights = used_weights(state, place, dropped);
    small_product<Scalar>({weights, place.stride, 1},
                          rows_of(state.value, place.first_key, place.head * value_width), place.n_queries,
                          place.n_keys, value_width,
                          rows_to(state.concat, place.first_query, place.head * value_width));
  });
}

template <class Scalar>
void all_heads_backward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                        const HeadState<Scalar>& state, const Rows<Scalar>& d_concat, Rows<Scalar>& d_query,
                        Rows<Scalar>& d_key, Rows<Scalar>& d_value, Scalar* d_relative) {
  const int width = plan.architecture.head_width();
  const int value_width = plan.architecture.value_width();
  const bool learns_biases = plan.has_positions && plan.architecture.positions == Positions::relative;
  d_query.resize(state.query.rows(), state.query.cols());
  d_key.resize(state.key.rows(), state.key.cols());
  d_value.resize(state.value.rows(), state.value.cols());
  const Scalar scale = Scalar{1} / std::sqrt(static_cast<Scalar>(width));
  Numbers<Scalar> transposed, dropped, d_scores;
  for_each_head(plan, queries, keys, [&](const Place& place, int) HWY_ATTR {
    const int t = place.n_queries;
    const int s = place.n_keys;
    const Scalar* weights = state.weights.data() + place.map;
    const Scalar* used = used_weights(state, place, dropped);
    small_product<Scalar>({used, 1, place.stride},
                          rows_of(d_concat, place.first_query, place.head * value_width), s, t, value_width,
                          rows_to(d_value, place.first_key, place.head * value_width));
    transpose_head(state.value, place.first_key, place.head * value_width, s, value_width, transposed);
    d_scores.resize(static_cast<std::size_t>(t) * static_cast<std::size_t>(place.stride));
    small_product<Scalar>(columns_of(d_concat, place.first_query, place.head * value_width),
                          {transposed.data(), place.stride}, t, value_width, place.stride,
                          {d_scores.data(), place.stride});
    if (!state.factors.empty()) {
      const Scalar* factors = state.factors.data() + place.map;
      for (std::size_t i = 0; i < d_scores.size(); ++i) d_scores[i] *= factors[i];
    }
    softmax_backward(place, weights, d_scores.data());
    if (plan.teacher != nullptr) add_look_gradients(plan, place, weights, d_scores.data());
    if (learns_biases) add_bias_gradients(place, d_scores.data(), d_relative);
    for (Scalar& number : d_scores) number *= scale;
    small_product<Scalar>({d_scores.data(), place.stride, 1},
                          rows_of(state.key, place.first_key, place.head * width), t, s, width,
                          rows_to(d_query, place.first_query, place.head * width));
    small_product<Scalar>({d_scores.data(), 1, place.stride},
                          rows_of(state.query, place.first_query, place.head * width), s, t, width,
                          rows_to(d_key, place.first_key, place.head * width));
  });
}

void float_heads_forward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                         const float* relative, HeadState<float>& state) {
  all_heads_forward(plan, queries, keys, relative, state);
}

void float_heads_backward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                          const HeadState<float>& state, const Rows<float>& d_concat, Rows<float>& d_query,
                          Rows<float>& d_key, Rows<float>& d_value, float* d_relative) {
  all_heads_backward(plan, queries, keys, state, d_concat, d_query, d_key, d_value, d_relative);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(float_heads_forward);
HWY_EXPORT(float_heads_backward);

}  // namespace

template <>
void heads_forward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                   const float* relative, HeadState<float>& state) {
  turn(plan, queries, state.query, 1.0F);
  turn(plan, keys, state.key, 1.0F);
  HWY_DYNAMIC_DISPATCH(float_heads_forward)(plan, queries, keys, relative, state);
}

template <>
void heads_forward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                   const double* relative, HeadState<double>& state) {
  turn(plan, queries, state.query, 1.0);
  turn(plan, keys, state.key, 1.0);
  HWY_STATIC_DISPATCH(all_heads_forward)(plan, queries, keys, relative, state);
}

template <>
void heads_backward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                    const HeadState<float>& state, const Rows<float>& d_concat, Rows<float>& d_query,
                    Rows<float>& d_key, Rows<float>& d_value, float* d_relative) {
  HWY_DYNAMIC_DISPATCH(float_heads_backward)
  (plan, queries, keys, state, d_concat, d_query, d_key, d_value, d_relative);
  turn(plan, queries, d_query, -1.0F);
  turn(plan, keys, d_key, -1.0F);
}

template <>
void heads_backward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                    const HeadState<double>& state, const Rows<double>& d_concat, Rows<double>& d_query,
                    Rows<double>& d_key, Rows<double>& d_value, double* d_relative) {
  HWY_STATIC_DISPATCH(all_heads_backward)
  (plan, queries, keys, state, d_concat, d_query, d_key, d_value, d_relative);
  turn(plan, queries, d_query, -1.0);
  turn(plan, keys, d_key, -1.0);
}

}  // namespace headscope
#endif
