#include "core/train/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/model/attention.h"
#include "core/model/positions.h"
#include "core/model/rotary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/train/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"
#include "core/train/head_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

/// The offsets of one head of one sequence.
struct Place : MapLayout {
  int first_query, first_key;
  std::ptrdiff_t map;   ///< Offset of its weights
  std::ptrdiff_t sums;  ///< Offset of its row sums, if saved
  int head;
  int kv_head;  ///< Its key-value head
};

/// Whether cells hidden by a causal mask can be skipped.
bool computes_triangle(const HeadPlan& plan) {
  const Architecture& a = plan.architecture;
  return plan.visibility.causal && plan.dropout == 0.0F && plan.teacher == nullptr && !a.linear_attention &&
         a.softcap == 0.0F && !a.sinks && !a.has_position_biases();
}

template <class Function>
void for_each_head(const HeadPlan& plan, Function function) {
  std::ptrdiff_t map = 0;
  std::ptrdiff_t sums = 0;
  for (int s = 0; s < plan.queries.count(); ++s) {
    Place place{
        {plan.queries.length(s), plan.keys.length(s), padded(plan.keys.length(s)), computes_triangle(plan)},
        plan.queries.begin(s),
        plan.keys.begin(s),
        map,
        sums,
        0,
        0};
    for (place.head = 0; place.head < plan.architecture.n_heads; ++place.head) {
      place.map = map;
      place.sums = sums;
      place.kv_head = place.head / plan.architecture.group_size(no_layer);
      function(place, s);
      map += static_cast<std::ptrdiff_t>(place.n_queries) * place.stride;
      sums += place.n_queries;
    }
  }
}

std::size_t map_numbers(const HeadPlan& plan) {
  std::size_t n = 0;
  for (int s = 0; s < plan.queries.count(); ++s) {
    n += static_cast<std::size_t>(plan.queries.length(s)) *
         static_cast<std::size_t>(padded(plan.keys.length(s)));
  }
  return n * static_cast<std::size_t>(plan.architecture.n_heads);
}

/// The index of the bias of a head for a distance.
std::ptrdiff_t bias_index(const HeadPlan& plan, int head, int distance) {
  const Architecture& a = plan.architecture;
  return std::ptrdiff_t{head} * a.relative_width() + relative_column(a, plan.stack, distance);
}

template <class Scalar>
void add_biases(const HeadPlan& plan, const Place& place, const Scalar* relative, Scalar* scores) {
  const Positions positions = plan.architecture.positions;
  if (!plan.has_positions || !plan.architecture.has_position_biases()) return;
  const auto slope = static_cast<Scalar>(alibi_slope(plan.architecture, place.head));
  for (int i = 0; i < place.n_queries; ++i) {
    Scalar* row = scores + static_cast<std::ptrdiff_t>(i) * place.stride;
    for (int j = 0; j < place.n_keys; ++j) {
      row[j] += positions == Positions::alibi ? -slope * static_cast<Scalar>(std::abs(j - i))
                                              : relative[bias_index(plan, place.head, j - i)];
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

/// weights · factors with dropout, otherwise the weights.
template <class Scalar>
const Scalar* used_weights(const HeadActivations<Scalar>& state, const Place& place,
                           AlignedVector<Scalar>& scratch) {
  const Scalar* weights = state.weights.data() + place.map;
  if (state.factors.empty()) return weights;
  const auto n = static_cast<std::size_t>(place.n_queries) * static_cast<std::size_t>(place.stride);
  scratch.resize(n);
  const Scalar* factors = state.factors.data() + place.map;
  for (std::size_t i = 0; i < n; ++i) scratch[i] = weights[i] * factors[i];
  return scratch.data();
}

/// Sums the gradients of all cells at the same distance, which share a bias.
template <class Scalar>
void add_bias_gradients(const HeadPlan& plan, const Place& place, const Scalar* d_scores,
                        Scalar* d_relative) {
  for (int i = 0; i < place.n_queries; ++i) {
    const Scalar* row = d_scores + static_cast<std::ptrdiff_t>(i) * place.stride;
    for (int j = 0; j < place.n_keys; ++j) d_relative[bias_index(plan, place.head, j - i)] += row[j];
  }
}

template <class Scalar>
Scalar score_factor(const HeadPlan& plan) {
  const Architecture& a = plan.architecture;
  if (a.linear_attention) return Scalar{1};
  const bool turns_latent = a.kv_latent && a.uses_rotary() && plan.has_positions;
  const auto by_yarn = turns_latent ? static_cast<Scalar>(score_amplitude(plan.rotary)) : Scalar{1};
  if (a.score_scale > 0.0F) return by_yarn * static_cast<Scalar>(a.score_scale);
  return by_yarn / std::sqrt(static_cast<Scalar>(a.head_width(no_layer)));
}

template <class Scalar>
void all_heads_forward(const HeadPlan& plan, const HeadParameters<const Scalar>& parameters,
                       HeadActivations<Scalar>& state) {
  const int width = plan.architecture.head_width(no_layer);
  const int value_width = plan.architecture.value_width(no_layer);
  state.weights.resize(map_numbers(plan));
  state.factors.assign(plan.dropout > 0.0F ? state.weights.size() : 0, Scalar{0});
  state.concat.resize(plan.queries.rows(), plan.architecture.concat_width(no_layer));
  const Architecture& a = plan.architecture;
  state.capped.resize(a.softcap > 0.0F ? state.weights.size() : 0);
  const auto scale = score_factor<Scalar>(plan);
  const auto n_rows = static_cast<std::size_t>(plan.queries.rows()) * static_cast<std::size_t>(a.n_heads);
  state.row_sums.resize(a.linear_attention ? n_rows : 0);
  AlignedVector<Scalar> transposed, dropped, sink_terms;
  for_each_head(plan, [&](const Place& place, int sequence) HWY_ATTR {
    transpose_head(*state.key, place.first_key, place.kv_head * width, place.n_keys, width, transposed);
    for (Scalar& number : transposed) number *= scale;
    Scalar* scores = state.weights.data() + place.map;
    score_product<Scalar>(place, columns_of(*state.query, place.first_query, place.head * width),
                          transposed.data(), width, scores);
    if (!state.capped.empty())
      cap_scores(place, static_cast<Scalar>(a.softcap), scores, state.capped.data() + place.map);
    add_biases(plan, place, parameters.relative, scores);
    const Scalar* sink = parameters.sinks == nullptr ? nullptr : parameters.sinks + place.head;
    if (a.linear_attention) {
      normalize_rows(place, plan.visibility, scores, state.row_sums.data() + place.sums);
    } else {
      softmax_rows(place, plan.visibility, sink, scores, sink_terms);
    }
    if (plan.dropout > 0.0F) draw_factors(plan, place, sequence, state.factors.data() + place.map);
    const Scalar* weights = used_weights(state, place, dropped);
    map_product<Scalar>(place, weights, rows_of(*state.value, place.first_key, place.kv_head * value_width),
                        value_width, rows_to(state.concat, place.first_query, place.head * value_width));
  });
}

template <class Scalar>
void all_heads_backward(const HeadPlan& plan, const HeadParameters<const Scalar>& parameters,
                        const HeadActivations<Scalar>& state, const HeadGradients<Scalar>& d) {
  const int width = plan.architecture.head_width(no_layer);
  const int value_width = plan.architecture.value_width(no_layer);
  const bool learns_biases = plan.has_positions && plan.architecture.positions == Positions::relative;
  d.query.resize(state.query->rows(), state.query->cols());
  d.key.resize(state.key->rows(), state.key->cols());
  d.value.resize(state.value->rows(), state.value->cols());
  const auto scale = score_factor<Scalar>(plan);
  AlignedVector<Scalar> transposed, dropped, d_scores, of_head;
  for_each_head(plan, [&](const Place& place, int) HWY_ATTR {
    const int t = place.n_queries;
    const int s = place.n_keys;
    const Scalar* weights = state.weights.data() + place.map;
    const Scalar* used = used_weights(state, place, dropped);
    const bool is_first = place.head % plan.architecture.group_size(no_layer) == 0;
    shared_product<Scalar>(is_first, place, used,
                           rows_of(d.concat, place.first_query, place.head * value_width), value_width,
                           rows_to(d.value, place.first_key, place.kv_head * value_width), of_head);
    transpose_head(*state.value, place.first_key, place.kv_head * value_width, s, value_width, transposed);
    d_scores.resize(static_cast<std::size_t>(t) * static_cast<std::size_t>(place.stride));
    score_product<Scalar>(place, columns_of(d.concat, place.first_query, place.head * value_width),
                          transposed.data(), value_width, d_scores.data());
    if (!state.factors.empty()) {
      const Scalar* factors = state.factors.data() + place.map;
      for (std::size_t i = 0; i < d_scores.size(); ++i) d_scores[i] *= factors[i];
    }
    const bool is_taught = plan.teacher != nullptr && place.head == taught_head;
    const auto attention_loss_weight =
        static_cast<Scalar>(is_taught ? plan.teacher->attention_loss_weight : 0.0);
    const int* attention_targets =
        is_taught ? plan.teacher->attention_targets.data() + place.first_query : nullptr;
    if (parameters.sinks != nullptr) {
      d.parameters.sinks[place.head] += sink_gradient(place, weights, d_scores.data());
      if (is_taught)
        d.parameters.sinks[place.head] += attention_loss_sink_gradient(
            place, plan.visibility, attention_targets, attention_loss_weight, weights);
    }
    ScoreGradientSums* sums = plan.gradient_sums == nullptr ? nullptr : plan.gradient_sums + place.head;
    if (sums != nullptr) sums->weights += visible_sum_of_squares(place, plan.visibility, d_scores.data());
    if (sums != nullptr && sums->products)
      sums->products = visible_products(place, plan.visibility, weights, d_scores.data());
    if (plan.architecture.linear_attention) {
      if (is_taught)
        attention_loss_backward_to_weights(place, plan.visibility, attention_targets, attention_loss_weight,
                                           weights, d_scores.data());
      normalize_rows_backward(place, plan.visibility, weights, state.row_sums.data() + place.sums,
                              d_scores.data());
    } else {
      softmax_backward(place, weights, d_scores.data());
      if (is_taught)
        attention_loss_backward_to_scores(place, plan.visibility, attention_targets, attention_loss_weight,
                                          weights, d_scores.data());
    }
    if (learns_biases) add_bias_gradients(plan, place, d_scores.data(), d.parameters.relative);
    if (!state.capped.empty())
      softcap_backward(place, static_cast<Scalar>(plan.architecture.softcap), state.capped.data() + place.map,
                       d_scores.data());
    if (sums != nullptr) sums->scores += visible_sum_of_squares(place, plan.visibility, d_scores.data());
    for (Scalar& number : d_scores) number *= scale;
    map_product<Scalar>(place, d_scores.data(), rows_of(*state.key, place.first_key, place.kv_head * width),
                        width, rows_to(d.query, place.first_query, place.head * width));
    shared_product<Scalar>(is_first, place, d_scores.data(),
                           rows_of(*state.query, place.first_query, place.head * width), width,
                           rows_to(d.key, place.first_key, place.kv_head * width), of_head);
  });
}

void float_heads_forward(const HeadPlan& plan, const HeadParameters<const float>& parameters,
                         HeadActivations<float>& state) {
  all_heads_forward(plan, parameters, state);
}

void float_heads_backward(const HeadPlan& plan, const HeadParameters<const float>& parameters,
                          const HeadActivations<float>& state, const HeadGradients<float>& d) {
  all_heads_backward(plan, parameters, state, d);
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
void heads_forward(const HeadPlan& plan, const HeadParameters<const float>& parameters,
                   HeadActivations<float>& state) {
  HWY_DYNAMIC_DISPATCH(float_heads_forward)(plan, parameters, state);
}

template <>
void heads_forward(const HeadPlan& plan, const HeadParameters<const double>& parameters,
                   HeadActivations<double>& state) {
  HWY_STATIC_DISPATCH(all_heads_forward)(plan, parameters, state);
}

template <>
void heads_backward(const HeadPlan& plan, const HeadParameters<const float>& parameters,
                    const HeadActivations<float>& state, const HeadGradients<float>& d) {
  HWY_DYNAMIC_DISPATCH(float_heads_backward)(plan, parameters, state, d);
}

template <>
void heads_backward(const HeadPlan& plan, const HeadParameters<const double>& parameters,
                    const HeadActivations<double>& state, const HeadGradients<double>& d) {
  HWY_STATIC_DISPATCH(all_heads_backward)(plan, parameters, state, d);
}

}  // namespace headscope
#endif
