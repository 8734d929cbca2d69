#include "core/train/sublayers.h"

#include <utility>

#include "core/tensor/activation.h"
#include "core/tensor/layer_norm.h"
#include "core/tensor/logistic.h"
#include "core/tensor/rms_norm.h"
#include "core/tensor/vector_ops.h"

namespace headscope {
namespace {

template <class Scalar>
const Rows<Scalar>& normalise(const TrainContext<Scalar>& context, const NormSlot& norm,
                              const Rows<Scalar>& x, std::vector<RowMoments<Scalar>>& moments,
                              Rows<Scalar>& out) {
  out.resize(x.rows(), x.cols());
  moments.resize(static_cast<std::size_t>(x.rows()));
  layer_norm_rows(x.data(), x.rows(), x.cols(), context.parameters + norm.gain,
                  context.parameters + norm.bias, out.data(), moments.data());
  return out;
}

template <class Scalar>
void normalise_backward(const TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                        const std::vector<RowMoments<Scalar>>& moments, const Rows<Scalar>& d_out,
                        Rows<Scalar>& d_x) {
  layer_norm_backward(x.data(), moments.data(), x.rows(), x.cols(), context.parameters + norm.gain,
                      d_out.data(), d_x.data(), context.gradients + norm.gain, context.gradients + norm.bias);
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

/// Where the heads' own parameters, or their gradients, begin.
template <class Scalar>
HeadParameters<Scalar> learned(Scalar* all, std::ptrdiff_t relative, std::ptrdiff_t sinks) {
  return {relative < 0 ? nullptr : all + relative, sinks < 0 ? nullptr : all + sinks};
}

}  // namespace

template <class Scalar>
const Rows<Scalar>& Surroundings<Scalar>::enter(TrainContext<Scalar>& context, const NormSlot& norm,
                                                const Rows<Scalar>& x) {
  return context.architecture.norm == Norm::pre ? normalise(context, norm, x, moments_, normed_input_) : x;
}

template <class Scalar>
const Rows<Scalar>& Surroundings<Scalar>::leave(TrainContext<Scalar>& context, const NormSlot& norm,
                                                const Rows<Scalar>& x, const Rows<Scalar>& y) {
  sum_.resize(y.rows(), y.cols());
  if (context.architecture.residual) {
    add(x.data(), y.data(), sum_.size(), sum_.data());
  } else {
    copy_rows(y, sum_);
  }
  return context.architecture.norm == Norm::post ? normalise(context, norm, sum_, moments_, normed_output_)
                                                 : sum_;
}

template <class Scalar>
const Rows<Scalar>& Surroundings<Scalar>::leave_backward(TrainContext<Scalar>& context, const NormSlot& norm,
                                                         const Rows<Scalar>& d, Rows<Scalar>& scratch) const {
  if (context.architecture.norm != Norm::post) return d;
  zeros_like(d, scratch);
  normalise_backward(context, norm, sum_, moments_, d, scratch);
  return scratch;
}

template <class Scalar>
void Surroundings<Scalar>::enter_backward(TrainContext<Scalar>& context, const NormSlot& norm,
                                          const Rows<Scalar>& x, const Rows<Scalar>& d_y,
                                          const Rows<Scalar>& d_entered, Rows<Scalar>& d_x) const {
  if (context.architecture.residual) {
    if (&d_y != &d_x) copy_rows(d_y, d_x);
  } else {
    zeros_like(x, d_x);
  }
  if (context.architecture.norm == Norm::pre) {
    normalise_backward(context, norm, x, moments_, d_entered, d_x);
  } else {
    add(d_entered.data(), d_x.data(), d_x.size(), d_x.data());
  }
}

template <class Scalar>
void AttentionSublayer<Scalar>::project(TrainContext<Scalar>& context, const Rows<Scalar>& in,
                                        const LinearSlot& slot, std::ptrdiff_t gain, HeadNorm& norm,
                                        Rows<Scalar>& out) {
  if (gain < 0) return context.products.linear(in, slot, context.parameters, out);
  context.products.linear(in, slot, context.parameters, norm.before);
  const int width = context.architecture.head_width();
  out.resize(norm.before.rows(), norm.before.cols());
  const auto n_rows = static_cast<int>(out.size() / static_cast<std::size_t>(width));
  norm.inverses.resize(static_cast<std::size_t>(n_rows));
  rms_norm_rows(norm.before.data(), n_rows, width, context.parameters + gain,
                static_cast<Scalar>(qk_norm_epsilon), out.data(), norm.inverses.data());
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
  project(context, asks, slots.query, slots.query_gain, query_norm_, heads_.query);
  project(context, asked, slots.key, slots.key_gain, key_norm_, heads_.key);
  context.products.linear(asked, slots.value, context.parameters, heads_.value);
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
  normalised_backward(context, slots.query_gain, query_norm_, d_query_);
  normalised_backward(context, slots.key_gain, key_norm_, d_key_);
  const auto back = [&](const LinearSlot& slot, const Rows<Scalar>& in, const Rows<Scalar>& d, Into into,
                        Rows<Scalar>& d_in) {
    context.products.linear_backward(in, slot, context.parameters, d, context.gradients, into, d_in);
  };
  back(slots.query, asks, d_query_, Into::fresh, d_asks);
  if (slots.gate.exists()) back(slots.gate, asks, d_gate_, Into::sum, d_asks);
  back(slots.key, asked, d_key_, Into::sum, d_asked);
  back(slots.value, asked, d_value_, Into::sum, d_asked);
}

template <class Scalar>
const Rows<Scalar>& FeedForwardSublayer<Scalar>::forward(TrainContext<Scalar>& context,
                                                         const LinearSlot& hidden, const LinearSlot& output,
                                                         const Rows<Scalar>& x) {
  context.products.linear(x, hidden, context.parameters, hidden_);
  activated_.resize(hidden_.rows(), hidden_.cols());
  const auto activate = context.architecture.activation == Activation::relu ? relu<Scalar> : gelu<Scalar>;
  activate(hidden_.data(), hidden_.size(), activated_.data());
  context.products.linear(activated_, output, context.parameters, output_);
  return output_;
}

template <class Scalar>
void FeedForwardSublayer<Scalar>::backward(TrainContext<Scalar>& context, const LinearSlot& hidden,
                                           const LinearSlot& output, const Rows<Scalar>& x,
                                           const Rows<Scalar>& d_out, Rows<Scalar>& d_x) {
  context.products.linear_backward(activated_, output, context.parameters, d_out, context.gradients,
                                   Into::fresh, d_hidden_);
  const auto backward =
      context.architecture.activation == Activation::relu ? relu_backward<Scalar> : gelu_backward<Scalar>;
  backward(hidden_.data(), hidden_.size(), d_hidden_.data(), d_hidden_.data());
  context.products.linear_backward(x, hidden, context.parameters, d_hidden_, context.gradients, Into::fresh,
                                   d_x);
}

template class Surroundings<float>;
template class Surroundings<double>;
template class AttentionSublayer<float>;
template class AttentionSublayer<double>;
template class FeedForwardSublayer<float>;
template class FeedForwardSublayer<double>;

}  // namespace headscope
