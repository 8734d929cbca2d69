#include "core/train/network.h"

#include <algorithm>

#include "core/tensor/layer_norm.h"
#include "core/tensor/vector_ops.h"
#include "core/train/score_gradients.h"
#include "core/train/sublayers.h"

namespace headscope {
template <class Scalar>
class Network<Scalar>::Pass {
 public:
  Pass(const ParameterLayout& layout, ScoreGradients* reached)
      : layout_(layout), context_{layout.architecture, {}, {}, {}, {}, reached}, embedding_(layout) {
    if (layout.architecture.has(Stack::encoder)) encoder_.layers.resize(layout.encoder.layers.size());
    if (layout.architecture.has(Stack::decoder)) decoder_.layers.resize(layout.decoder.layers.size());
  }

  const Rows<Scalar>& forward(const Shard& shard, const Scalar* parameters, float dropout,
                              std::uint64_t stream) {
    shard_ = &shard;
    context_.parameters = parameters;
    dropout_ = dropout;
    stream_ = stream + static_cast<std::uint64_t>(shard.first_example);
    const Architecture& a = layout_.architecture;
    if (a.has(Stack::encoder)) stack_forward(Stack::encoder, nullptr);
    if (a.has(Stack::decoder)) stack_forward(Stack::decoder, a.has_cross() ? encoder_.output : nullptr);
    const Rows<Scalar>& last = *state(a.last_stack()).output;
    if (layout_.logits.exists()) {
      context_.products.linear(last, layout_.logits, parameters, logits_);
    } else {
      context_.products.tied(last, parameters + layout_.embedding, layout_.vocabulary, logits_);
      if (layout_.logits_bias >= 0) add_to_rows(parameters + layout_.logits_bias, logits_);
    }
    if (a.logit_softcap > 0.0F) cap_logits(static_cast<Scalar>(a.logit_softcap), logits_, capped_logits_);
    return logits_;
  }

  /// Adds the cross-entropy of the taught head's weights if the shard teaches one.
  void add_looks(Score& score) {
    const Stack last = layout_.architecture.last_stack();
    const std::vector<LayerState>& layers = state(last).layers;
    if (layers.empty() || shard_->looks.empty()) return;
    layers.back().self.add_looks(plan(last, layers.size() - 1, AttentionKind::self), score);
  }

  void stop_on(const std::atomic<bool>& flag) { stop_ = &flag; }
  Rows<Scalar>& logits() { return logits_; }

  /// Computes the backward pass. logits() must already hold the loss's gradient with respect to the logits.
  void backward(Scalar* gradients) {
    context_.gradients = gradients;
    const Architecture& a = layout_.architecture;
    const Rows<Scalar>& last = *state(a.last_stack()).output;
    if (a.logit_softcap > 0.0F)
      cap_logits_backward(static_cast<Scalar>(a.logit_softcap), capped_logits_, logits_);
    if (layout_.logits.exists()) {
      context_.products.linear_backward(last, layout_.logits, context_.parameters, logits_, gradients,
                                        Into::fresh, d_hidden_);
    } else {
      context_.products.tied_backward(last, context_.parameters + layout_.embedding, logits_,
                                      gradients + layout_.embedding, d_hidden_);
      if (layout_.logits_bias >= 0) add_row_sums(logits_, gradients + layout_.logits_bias);
    }
    if (a.has(Stack::decoder)) {
      if (a.has_cross()) {
        d_memory_.resize(encoder_.output->rows(), encoder_.output->cols());
        d_memory_.set_zero();
      }
      stack_backward(Stack::decoder, a.has_cross() ? encoder_.output : nullptr);
      if (a.has_cross()) std::swap(d_hidden_, d_memory_);
    }
    if (a.has(Stack::encoder)) stack_backward(Stack::encoder, nullptr);
  }

 private:
  /// One layer of a stack. A decoder's layer also attends to `memory`, the encoder's output.
  struct LayerState {
    Surroundings<Scalar> around_self, around_cross, around_feed_forward;
    AttentionSublayer<Scalar> self, cross;
    FeedForwardSublayer<Scalar> feed_forward;
    const Rows<Scalar>*self_in = nullptr, *cross_in = nullptr,
          *feed_forward_in = nullptr;  ///< The inputs before the norm.
    const Rows<Scalar>*self_entered = nullptr, *cross_entered = nullptr, *feed_forward_entered = nullptr;
  };

  struct StackState {
    Rows<Scalar> input;
    std::vector<LayerState> layers;
    const Rows<Scalar>* last = nullptr;  ///< The output of the last layer.
    Rows<Scalar> normed;
    NormLayer<Scalar> final_norm;
    const Rows<Scalar>* output = nullptr;
  };

  void give_up_if_asked() const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw TrainingStopped{};
  }

  StackState& state(Stack which) { return which == Stack::encoder ? encoder_ : decoder_; }

  /// Returns the sequences that a stack reads. A decoder with an encoder reads the target; any other stack
  /// reads the source.
  const Sequences& read_by(Stack which) const {
    return layout_.architecture.has_cross() && which == Stack::decoder ? shard_->target : shard_->source;
  }

  HeadPlan plan(Stack which, std::size_t layer, AttentionKind kind) const {
    HeadPlan plan{layout_.architecture};
    plan.stack = which;
    plan.seen.causal = which == Stack::decoder && kind == AttentionKind::self;
    plan.has_positions = kind == AttentionKind::self;
    plan.rotary = layout_.architecture.rotary_of(static_cast<int>(layer));
    if (kind == AttentionKind::self && layout_.architecture.slides(static_cast<int>(layer)))
      plan.seen.sliding = layout_.architecture.sliding_window;
    plan.dropout = dropout_;
    if (context_.reached != nullptr)
      plan.gradient_sums = context_.reached->heads_of(which, kind, static_cast<int>(layer));
    const bool is_last = which == layout_.architecture.last_stack() &&
                         layer + 1 == layout_.stack(which).layers.size() && kind == AttentionKind::self;
    if (is_last && !shard_->looks.empty()) plan.teacher = shard_;
    constexpr std::uint64_t mix = 0xD1B54A32D192ED03ULL;
    const std::uint64_t number = 4 * layer + 2 * static_cast<std::uint64_t>(which) +
                                 static_cast<std::uint64_t>(kind == AttentionKind::cross);
    plan.stream = stream_ + mix * (number + 1);
    return plan;
  }

  void stack_forward(Stack which, const Rows<Scalar>* memory) {
    StackState& stack = state(which);
    const StackSlots& slots = layout_.stack(which);
    embedding_.forward(context_, read_by(which), stack.input);
    const Rows<Scalar>* x = &stack.input;
    for (std::size_t l = 0; l < stack.layers.size(); ++l) {
      give_up_if_asked();
      x = &layer_forward(which, l, slots.layers[l], stack.layers[l], *x, memory);
    }
    stack.last = x;
    stack.output = x;
    if (!slots.norm.exists()) return;
    stack.final_norm.forward(context_, slots.norm, *x, stack.normed);
    stack.output = &stack.normed;
  }

  /// Turns d_hidden_ from the gradient with respect to the stack's output into that with respect to its
  /// input, and adds the gradients of the embedding.
  void stack_backward(Stack which, const Rows<Scalar>* memory) {
    StackState& stack = state(which);
    const StackSlots& slots = layout_.stack(which);
    if (slots.norm.exists()) {
      std::swap(d_hidden_, d_scratch_);
      d_hidden_.resize(d_scratch_.rows(), d_scratch_.cols());
      d_hidden_.set_zero();
      stack.final_norm.backward(context_, slots.norm, *stack.last, d_scratch_, d_hidden_);
    }
    for (std::size_t l = stack.layers.size(); l-- > 0;) {
      give_up_if_asked();
      layer_backward(which, l, slots.layers[l], stack.layers[l], memory);
    }
    embedding_.backward(context_, read_by(which), d_hidden_);
  }

  const Rows<Scalar>& layer_forward(Stack which, std::size_t index, const LayerSlots& slots,
                                    LayerState& layer, const Rows<Scalar>& input,
                                    const Rows<Scalar>* memory) {
    const Sequences& own = read_by(which);
    layer.self_in = &input;
    layer.self_entered = &layer.around_self.enter(context_, slots.self_norm, input);
    const Rows<Scalar>& attended =
        layer.self.forward(context_, slots.self, plan(which, index, AttentionKind::self), own, own,
                           layout_.position_biases(which), *layer.self_entered, *layer.self_entered);
    const Rows<Scalar>* x =
        &layer.around_self.leave(context_, {slots.self_norm, slots.self_output_norm}, input, attended);
    if (memory != nullptr) {
      layer.cross_in = x;
      layer.cross_entered = &layer.around_cross.enter(context_, slots.cross_norm, *x);
      const Rows<Scalar>& looked =
          layer.cross.forward(context_, slots.cross, plan(which, index, AttentionKind::cross), own,
                              shard_->source, -1, *layer.cross_entered, *memory);
      x = &layer.around_cross.leave(context_, {slots.cross_norm, slots.cross_output_norm}, *x, looked);
    }
    if (!slots.hidden.exists()) return *x;
    const Block block = layout_.architecture.block;
    layer.feed_forward_in = block == Block::sequential        ? x
                            : block == Block::parallel_shared ? layer.self_entered
                                                              : &input;
    layer.feed_forward_entered =
        &layer.around_feed_forward.enter(context_, slots.feed_forward_norm, *layer.feed_forward_in);
    const Rows<Scalar>& fed = layer.feed_forward.forward(context_, slots, *layer.feed_forward_entered);
    return layer.around_feed_forward.leave(
        context_, {slots.feed_forward_norm, slots.feed_forward_output_norm}, *x, fed);
  }

  /// Computes one sublayer of layer_backward(). `body` sets d_entered_ to the gradient with respect to the
  /// sublayer's input, given the one with respect to its output.
  template <class Body>
  void sublayer_backward(const Surroundings<Scalar>& around, const SublayerNormSlots& norms,
                         const Rows<Scalar>& input, Body body) {
    const Rows<Scalar>& d_output = around.leave_backward(context_, norms, d_hidden_, d_output_);
    body(d_output);
    const Rows<Scalar>& d_sum = norms.of_output.exists() ? d_hidden_ : d_output;
    around.enter_backward(context_, norms.norm, input, d_sum, d_entered_, d_hidden_);
  }

  void layer_backward(Stack which, std::size_t index, const LayerSlots& slots, LayerState& layer,
                      const Rows<Scalar>* memory) {
    const Sequences& own = read_by(which);
    const bool is_parallel = layout_.architecture.is_parallel();
    if (is_parallel) {
      // The sum passes its gradient on unchanged, and the feed-forward layer read the layer's input.
      layer.feed_forward.backward(context_, slots, *layer.feed_forward_entered, d_hidden_, d_read_);
    } else if (slots.hidden.exists()) {
      sublayer_backward(layer.around_feed_forward, {slots.feed_forward_norm, slots.feed_forward_output_norm},
                        *layer.feed_forward_in, [&](const Rows<Scalar>& d_output) {
                          layer.feed_forward.backward(context_, slots, *layer.feed_forward_entered, d_output,
                                                      d_entered_);
                        });
    }
    if (memory != nullptr) {
      sublayer_backward(layer.around_cross, {slots.cross_norm, slots.cross_output_norm}, *layer.cross_in,
                        [&](const Rows<Scalar>& d_output) {
                          layer.cross.backward(context_, slots.cross,
                                               plan(which, index, AttentionKind::cross), own, shard_->source,
                                               -1, *layer.cross_entered, *memory, d_output, d_entered_,
                                               d_memory_);
                        });
    }
    sublayer_backward(layer.around_self, {slots.self_norm, slots.self_output_norm}, *layer.self_in,
                      [&](const Rows<Scalar>& d_output) {
                        layer.self.backward(context_, slots.self, plan(which, index, AttentionKind::self),
                                            own, own, layout_.position_biases(which), *layer.self_entered,
                                            *layer.self_entered, d_output, d_entered_, d_entered_);
                        if (is_parallel && !slots.feed_forward_norm.exists())
                          add(d_entered_.data(), d_read_.data(), d_read_.size(), d_entered_.data());
                      });
    if (is_parallel && slots.feed_forward_norm.exists()) {
      layer.around_feed_forward.add_through_norm(context_, slots.feed_forward_norm, *layer.feed_forward_in,
                                                 d_read_, d_hidden_);
    }
  }

  const ParameterLayout& layout_;
  TrainContext<Scalar> context_;
  const std::atomic<bool>* stop_ = nullptr;
  const Shard* shard_ = nullptr;
  float dropout_ = 0.0F;
  std::uint64_t stream_ = 0;
  StackState encoder_, decoder_;
  EmbeddingSublayer<Scalar> embedding_;
  Rows<Scalar> logits_, capped_logits_, d_hidden_, d_scratch_, d_output_, d_entered_, d_memory_, d_read_;
};

template <class Scalar>
Network<Scalar>::Network(const ParameterLayout& layout, ScoreGradients* reached)
    : pass_(std::make_unique<Pass>(layout, reached)) {}

template <class Scalar>
Network<Scalar>::~Network() = default;

template <class Scalar>
void Network<Scalar>::stop_on(const std::atomic<bool>& flag) {
  pass_->stop_on(flag);
}

template <class Scalar>
const Rows<Scalar>& Network<Scalar>::forward(const Shard& shard, const Scalar* parameters, float dropout,
                                             std::uint64_t stream) {
  return pass_->forward(shard, parameters, dropout, stream);
}

template <class Scalar>
Score Network<Scalar>::forward_backward(const Shard& shard, std::size_t n_parts, const Scalar* parameters,
                                        Scalar* gradients, float dropout, std::uint64_t stream) {
  pass_->forward(shard, parameters, dropout, stream);
  constexpr bool writes_gradient = true;
  Score score = cross_entropy(shard, n_parts, pass_->logits(), writes_gradient);
  pass_->add_looks(score);
  pass_->backward(gradients);
  return score;
}

template <class Scalar>
Score Network<Scalar>::evaluate(const Shard& shard, std::size_t n_parts, const Scalar* parameters) {
  pass_->forward(shard, parameters, 0.0F, 0);
  constexpr bool writes_gradient = false;
  Score score = cross_entropy(shard, n_parts, pass_->logits(), writes_gradient);
  pass_->add_looks(score);
  return score;
}

template class Network<float>;
template class Network<double>;

}  // namespace headscope
