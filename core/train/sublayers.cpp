#include "core/train/sublayers.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/model/activate.h"
#include "core/model/architecture.h"
#include "core/model/attention.h"
#include "core/model/positions.h"
#include "core/tensor/logistic.h"
#include "core/tensor/rms_norm.h"
#include "core/tensor/vector_ops.h"

namespace headscope {
namespace {

std::ptrdiff_t row_start(int row, int width) {
  return static_cast<std::ptrdiff_t>(row) * width;
}

template <class Scalar>
void zeros_like(const Rows<Scalar>& shape, Rows<Scalar>& out) {
  out.resize(shape.rows(), shape.cols());
  out.set_zero();
}

template <class Scalar>
void copy_rows(const Rows<Scalar>& from, Rows<Scalar>& to) {
  to.resize(from.rows(), from.cols());
  std::copy_n(from.data(), from.size(), to.data());
}

/// Returns pointers to the heads' own parameters or their gradients.
template <class Scalar>
HeadParameters<Scalar> learned(Scalar* all, std::ptrdiff_t relative, std::ptrdiff_t sinks) {
  return {relative < 0 ? nullptr : all + relative, sinks < 0 ? nullptr : all + sinks};
}

}  // namespace

template <class Scalar>
void LatentLayer<Scalar>::forward(TrainContext<Scalar>& context, const AttentionSlots& slots,
                                  const Rows<Scalar>& asked, Rows<Scalar>& keys, Rows<Scalar>& values) {
  Products<Scalar>& products = context.products;
  products.linear(asked, slots.latent, context.parameters, latent_);
  normed_.resize(latent_.rows(), latent_.cols());
  inverses_.resize(static_cast<std::size_t>(latent_.rows()));
  rms_norm_rows(latent_.data(), latent_.rows(), latent_.cols(), context.parameters + slots.latent_gain,
                static_cast<Scalar>(context.architecture.norm_epsilon), normed_.data(), inverses_.data());
  products.linear(normed_, slots.value, context.parameters, values);
  if (!slots.shared_key.exists()) return products.linear(normed_, slots.key, context.parameters, keys);
  products.linear(asked, slots.shared_key, context.parameters, shared_);
  products.linear(normed_, slots.key, context.parameters, own_);
  const int n_shared = slots.shared_key.n_out;
  const int n_own = slots.d_head - n_shared;
  const int n_heads = slots.key.n_out / n_own;
  keys.resize(asked.rows(), n_heads * slots.d_head);
  join_keys(shared_.data(), n_shared, own_.data(), n_own, n_heads, asked.rows(), keys.data());
}

template <class Scalar>
void LatentLayer<Scalar>::split(const AttentionSlots& slots, const Rows<Scalar>& d_keys) {
  const int n_shared = slots.shared_key.n_out;
  const int n_own = slots.d_head - n_shared;
  d_shared_.resize(d_keys.rows(), n_shared);
  d_shared_.set_zero();
  d_own_.resize(d_keys.rows(), slots.key.n_out);
  const Scalar* from = d_keys.data();
  Scalar* own = d_own_.data();
  for (int row = 0; row < d_keys.rows(); ++row) {
    for (int head = 0; head < slots.key.n_out / n_own; ++head) {
      for (int i = 0; i < n_shared; ++i) d_shared_.row(row)[i] += *from++;
      own = std::copy_n(from, n_own, own);
      from += n_own;
    }
  }
}

template <class Scalar>
void LatentLayer<Scalar>::backward(TrainContext<Scalar>& context, const AttentionSlots& slots,
                                   const Rows<Scalar>& asked, const Rows<Scalar>& d_keys,
                                   const Rows<Scalar>& d_values, Rows<Scalar>& d_asked) {
  const auto back = [&](const LinearSlot& slot, const Rows<Scalar>& in, const Rows<Scalar>& d, Into into,
                        Rows<Scalar>& d_in) {
    context.products.linear_backward(in, slot, context.parameters, d, context.gradients, into, d_in);
  };
  if (slots.shared_key.exists()) {
    split(slots, d_keys);
    back(slots.shared_key, asked, d_shared_, Into::sum, d_asked);
  }
  back(slots.key, normed_, slots.shared_key.exists() ? d_own_ : d_keys, Into::fresh, d_normed_);
  back(slots.value, normed_, d_values, Into::sum, d_normed_);
  d_latent_.resize(latent_.rows(), latent_.cols());
  d_latent_.set_zero();
  rms_norm_backward(latent_.data(), inverses_.data(), latent_.rows(), latent_.cols(),
                    context.parameters + slots.latent_gain, d_normed_.data(), d_latent_.data(),
                    context.gradients + slots.latent_gain);
  back(slots.latent, asked, d_latent_, Into::sum, d_asked);
}

template class LatentLayer<float>;
template class LatentLayer<double>;

template <class Scalar>
const Scalar* EmbeddingSublayer<Scalar>::position_row(const TrainContext<Scalar>& context,
                                                      int position) const {
  if (layout_.architecture.positions != Positions::learned) return waves_.row(position);
  return context.parameters + layout_.positions + row_start(position, layout_.architecture.d_model);
}

template <class Scalar>
void EmbeddingSublayer<Scalar>::prepare_waves(const Sequences& sequences) {
  const Architecture& a = layout_.architecture;
  if (!a.adds_positions() || a.positions == Positions::learned) return;
  int longest = 0;
  for (const int position : sequences.position) longest = std::max(longest, position + 1);
  if (waves_.rows() >= longest) return;
  const OwnedMatrix table = wave_table(a.positions, longest, a.d_model);
  waves_.resize(longest, a.d_model);
  std::copy(table.values.begin(), table.values.end(), waves_.data());
}

template <class Scalar>
void EmbeddingSublayer<Scalar>::forward(const TrainContext<Scalar>& context, const Sequences& sequences,
                                        Rows<Scalar>& out) {
  const int width = layout_.architecture.d_model;
  const bool adds = layout_.architecture.adds_positions();
  const auto scale = static_cast<Scalar>(layout_.architecture.embedding_factor());
  prepare_waves(sequences);
  out.resize(sequences.rows(), width);
  for (int r = 0; r < out.rows(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    const Scalar* word = context.parameters + layout_.embedding + row_start(sequences.ids[at], width);
    Scalar* to = out.row(r);
    for (int i = 0; i < width; ++i) to[i] = scale * word[i];
    if (!adds) continue;
    const Scalar* position = position_row(context, sequences.position[at]);
    for (int i = 0; i < width; ++i) to[i] += position[i];
  }
}

template <class Scalar>
void EmbeddingSublayer<Scalar>::backward(const TrainContext<Scalar>& context, const Sequences& sequences,
                                         const Rows<Scalar>& d_out) {
  const int width = layout_.architecture.d_model;
  const bool learned = layout_.architecture.positions == Positions::learned;
  const auto scale = static_cast<Scalar>(layout_.architecture.embedding_factor());
  for (int r = 0; r < d_out.rows(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    const Scalar* from = d_out.row(r);
    Scalar* word = context.gradients + layout_.embedding + row_start(sequences.ids[at], width);
    for (int i = 0; i < width; ++i) word[i] += scale * from[i];
    if (!learned) continue;
    Scalar* position = context.gradients + layout_.positions + row_start(sequences.position[at], width);
    for (int i = 0; i < width; ++i) position[i] += from[i];
  }
}

template class EmbeddingSublayer<float>;
template class EmbeddingSublayer<double>;

template <class Scalar>
void NormLayer<Scalar>::forward(const TrainContext<Scalar>& context, const NormSlot& norm,
                                const Rows<Scalar>& x, Rows<Scalar>& out) {
  const auto epsilon = static_cast<Scalar>(context.architecture.norm_epsilon);
  const Scalar* gain = context.parameters + norm.gain;
  out.resize(x.rows(), x.cols());
  if (context.architecture.norm_kind == NormKind::rms) {
    inverses_.resize(static_cast<std::size_t>(x.rows()));
    rms_norm_rows(x.data(), x.rows(), x.cols(), gain, epsilon, out.data(), inverses_.data());
    return;
  }
  moments_.resize(static_cast<std::size_t>(x.rows()));
  layer_norm_rows(x.data(), x.rows(), x.cols(), gain, context.parameters + norm.bias, out.data(),
                  moments_.data(), epsilon);
}

template <class Scalar>
void NormLayer<Scalar>::backward(const TrainContext<Scalar>& context, const NormSlot& norm,
                                 const Rows<Scalar>& x, const Rows<Scalar>& d_out, Rows<Scalar>& d_x) const {
  const Scalar* gain = context.parameters + norm.gain;
  Scalar* d_gain = context.gradients + norm.gain;
  if (context.architecture.norm_kind == NormKind::rms) {
    rms_norm_backward(x.data(), inverses_.data(), x.rows(), x.cols(), gain, d_out.data(), d_x.data(), d_gain);
    return;
  }
  layer_norm_backward(x.data(), moments_.data(), x.rows(), x.cols(), gain, d_out.data(), d_x.data(), d_gain,
                      context.gradients + norm.bias);
}

template <class Scalar>
const Rows<Scalar>& Surroundings<Scalar>::enter(TrainContext<Scalar>& context, const NormSlot& norm,
                                                const Rows<Scalar>& x) {
  if (!context.architecture.norms_inputs() || !norm.exists()) return x;
  norm_.forward(context, norm, x, normed_input_);
  return normed_input_;
}

template <class Scalar>
const Rows<Scalar>& Surroundings<Scalar>::leave(TrainContext<Scalar>& context, const SublayerNormSlots& norms,
                                                const Rows<Scalar>& x, const Rows<Scalar>& y) {
  const Rows<Scalar>* added = &y;
  if (norms.of_output.exists()) {
    output_.resize(y.rows(), y.cols());
    copy_rows(y, output_);
    output_norm_.forward(context, norms.of_output, output_, normed_output_);
    added = &normed_output_;
  }
  sum_.resize(y.rows(), y.cols());
  if (context.architecture.residual) {
    add(x.data(), added->data(), sum_.size(), sum_.data());
  } else {
    copy_rows(*added, sum_);
  }
  if (context.architecture.norm != Norm::post) return sum_;
  norm_.forward(context, norms.norm, sum_, normed_sum_);
  return normed_sum_;
}

template <class Scalar>
const Rows<Scalar>& Surroundings<Scalar>::leave_backward(TrainContext<Scalar>& context,
                                                         const SublayerNormSlots& norms,
                                                         const Rows<Scalar>& d, Rows<Scalar>& scratch) const {
  if (norms.of_output.exists()) {
    zeros_like(d, scratch);
    output_norm_.backward(context, norms.of_output, output_, d, scratch);
    return scratch;
  }
  if (context.architecture.norm != Norm::post) return d;
  zeros_like(d, scratch);
  norm_.backward(context, norms.norm, sum_, d, scratch);
  return scratch;
}

template <class Scalar>
void Surroundings<Scalar>::enter_backward(TrainContext<Scalar>& context, const NormSlot& norm,
                                          const Rows<Scalar>& x, const Rows<Scalar>& d_sum,
                                          const Rows<Scalar>& d_entered, Rows<Scalar>& d_x) const {
  if (context.architecture.residual) {
    if (&d_sum != &d_x) copy_rows(d_sum, d_x);
  } else {
    zeros_like(x, d_x);
  }
  if (context.architecture.norms_inputs()) {
    norm_.backward(context, norm, x, d_entered, d_x);
  } else {
    add(d_entered.data(), d_x.data(), d_x.size(), d_x.data());
  }
}

template <class Scalar>
void AttentionSublayer<Scalar>::normalise(TrainContext<Scalar>& context, std::ptrdiff_t gain, HeadNorm& norm,
                                          Rows<Scalar>& out) {
  if (gain < 0) return;
  const int width = context.architecture.head_width();
  out.resize(norm.before.rows(), norm.before.cols());
  const auto n_rows = static_cast<int>(out.size() / static_cast<std::size_t>(width));
  norm.inverses.resize(static_cast<std::size_t>(n_rows));
  rms_norm_rows(norm.before.data(), n_rows, width, context.parameters + gain,
                static_cast<Scalar>(context.architecture.norm_epsilon), out.data(), norm.inverses.data());
}

template <class Scalar>
void AttentionSublayer<Scalar>::normalised_backward(TrainContext<Scalar>& context, std::ptrdiff_t gain,
                                                    HeadNorm& norm, Rows<Scalar>& d) {
  if (gain < 0) return;
  const int width = context.architecture.head_width();
  zeros_like(d, norm.d_before);
  rms_norm_backward(norm.before.data(), norm.inverses.data(), static_cast<int>(norm.inverses.size()), width,
                    context.parameters + gain, d.data(), norm.d_before.data(), context.gradients + gain);
  std::swap(d, norm.d_before);
}

template <class Scalar>
const Rows<Scalar>& AttentionSublayer<Scalar>::forward(TrainContext<Scalar>& context,
                                                       const AttentionSlots& slots, const HeadPlan& plan,
                                                       const Sequences& queries, const Sequences& keys,
                                                       std::ptrdiff_t relative, const Rows<Scalar>& asks,
                                                       const Rows<Scalar>& asked) {
  Rows<Scalar>& own_queries = before_norm(slots.query_gain, query_norm_, heads_.query);
  Rows<Scalar>& own_keys = before_norm(slots.key_gain, key_norm_, heads_.key);
  context.products.linear(asks, slots.query, context.parameters, own_queries);
  if (slots.latent.exists()) {
    latent_.forward(context, slots, asked, own_keys, heads_.value);
  } else {
    context.products.linear(asked, slots.key, context.parameters, own_keys);
    context.products.linear(asked, slots.value, context.parameters, heads_.value);
  }
  normalise(context, slots.query_gain, query_norm_, heads_.query);
  normalise(context, slots.key_gain, key_norm_, heads_.key);
  turn(plan, queries, context.turns, heads_.query, Scalar{1});
  turn(plan, keys, context.turns, heads_.key, Scalar{1});
  heads_forward(plan, queries, keys, learned<const Scalar>(context.parameters, relative, slots.sinks),
                heads_);
  const Rows<Scalar>* outputs = &heads_.concat;
  if (slots.gate.exists()) {
    context.products.linear(asks, slots.gate, context.parameters, gate_);
    gated_.resize(gate_.rows(), gate_.cols());
    logistic(gate_.data(), gate_.size(), gate_.data());
    multiply_each(gate_.data(), heads_.concat.data(), gate_.size(), gated_.data());
    outputs = &gated_;
  }
  if (!slots.out.exists()) return *outputs;
  context.products.linear(*outputs, slots.out, context.parameters, projected_);
  return projected_;
}

template <class Scalar>
void AttentionSublayer<Scalar>::backward(TrainContext<Scalar>& context, const AttentionSlots& slots,
                                         const HeadPlan& plan, const Sequences& queries,
                                         const Sequences& keys, std::ptrdiff_t relative,
                                         const Rows<Scalar>& asks, const Rows<Scalar>& asked,
                                         const Rows<Scalar>& d_out, Rows<Scalar>& d_asks,
                                         Rows<Scalar>& d_asked) {
  const Rows<Scalar>* d_concat = &d_out;
  if (slots.out.exists()) {
    context.products.linear_backward(slots.gate.exists() ? gated_ : heads_.concat, slots.out,
                                     context.parameters, d_out, context.gradients, Into::fresh, d_concat_);
    d_concat = &d_concat_;
  }
  if (slots.gate.exists()) {
    const Rows<Scalar>& d_gated = *d_concat;
    d_gate_.resize(gate_.rows(), gate_.cols());
    d_ungated_.resize(gate_.rows(), gate_.cols());
    gate_backward(gate_.data(), heads_.concat.data(), d_gated.data(), gate_.size(), d_gate_.data(),
                  d_ungated_.data());
    d_concat = &d_ungated_;
  }
  heads_backward(plan, queries, keys, heads_, *d_concat, d_query_, d_key_, d_value_,
                 learned<const Scalar>(context.parameters, relative, slots.sinks),
                 learned<Scalar>(context.gradients, relative, slots.sinks));
  turn(plan, queries, context.turns, d_query_, Scalar{-1});
  turn(plan, keys, context.turns, d_key_, Scalar{-1});
  normalised_backward(context, slots.query_gain, query_norm_, d_query_);
  normalised_backward(context, slots.key_gain, key_norm_, d_key_);
  const auto back = [&](const LinearSlot& slot, const Rows<Scalar>& in, const Rows<Scalar>& d, Into into,
                        Rows<Scalar>& d_in) {
    context.products.linear_backward(in, slot, context.parameters, d, context.gradients, into, d_in);
  };
  back(slots.query, asks, d_query_, Into::fresh, d_asks);
  if (slots.gate.exists()) back(slots.gate, asks, d_gate_, Into::sum, d_asks);
  if (slots.latent.exists()) return latent_.backward(context, slots, asked, d_key_, d_value_, d_asked);
  back(slots.key, asked, d_key_, Into::sum, d_asked);
  back(slots.value, asked, d_value_, Into::sum, d_asked);
}

template <class Scalar>
const Rows<Scalar>& FeedForwardSublayer<Scalar>::forward(TrainContext<Scalar>& context,
                                                         const LayerSlots& slots, const Rows<Scalar>& x) {
  context.products.linear(x, slots.hidden, context.parameters, hidden_);
  activated_.resize(hidden_.rows(), hidden_.cols());
  activate(context.architecture.activation, hidden_.data(), hidden_.size(), activated_.data());
  const Rows<Scalar>* entered = &activated_;
  if (slots.up.exists()) {
    context.products.linear(x, slots.up, context.parameters, up_);
    gated_.resize(up_.rows(), up_.cols());
    multiply_each(activated_.data(), up_.data(), up_.size(), gated_.data());
    entered = &gated_;
  }
  context.products.linear(*entered, slots.output, context.parameters, output_);
  return output_;
}

template <class Scalar>
void FeedForwardSublayer<Scalar>::backward(TrainContext<Scalar>& context, const LayerSlots& slots,
                                           const Rows<Scalar>& x, const Rows<Scalar>& d_out,
                                           Rows<Scalar>& d_x) {
  const bool is_gated = slots.up.exists();
  const auto through = [&](const LinearSlot& slot, const Rows<Scalar>& in, const Rows<Scalar>& d, Into into,
                           Rows<Scalar>& d_in) {
    context.products.linear_backward(in, slot, context.parameters, d, context.gradients, into, d_in);
  };
  through(slots.output, is_gated ? gated_ : activated_, d_out, Into::fresh, d_hidden_);
  if (is_gated) {
    d_up_.resize(up_.rows(), up_.cols());
    multiply_each(d_hidden_.data(), activated_.data(), d_up_.size(), d_up_.data());
    multiply_each(d_hidden_.data(), up_.data(), d_hidden_.size(), d_hidden_.data());
  }
  activate_backward(context.architecture.activation, hidden_.data(), hidden_.size(), d_hidden_.data(),
                    d_hidden_.data());
  through(slots.hidden, x, d_hidden_, Into::fresh, d_x);
  if (is_gated) through(slots.up, x, d_up_, Into::sum, d_x);
}

template class NormLayer<float>;
template class NormLayer<double>;
template class Surroundings<float>;
template class Surroundings<double>;
template class AttentionSublayer<float>;
template class AttentionSublayer<double>;
template class FeedForwardSublayer<float>;
template class FeedForwardSublayer<double>;

}  // namespace headscope
