#include "core/model/pass.h"

namespace headscope {
namespace {

/// Lays out one stack after the other; keeps what a part's position in its layer decides.
class StackLayout {
 public:
  StackLayout(const PassShape& shape, Stack stack, Carver& carver)
      : shape_(shape), a_(shape.architecture), stack_(stack), n_(shape.n_tokens(stack)), carver_(carver) {}

  StackBuffers laid_out() {
    StackBuffers buffers;
    buffers.n_tokens = n_;
    buffers.embedding = rows();
    buffers.positions = a_.adds_positions() ? rows() : nullptr;
    buffers.input = a_.adds_positions() ? rows() : buffers.embedding;
    const float* hidden = buffers.input;
    for (int l = 0; l < a_.n_layers; ++l) {
      buffers.layers.push_back(layer(hidden));
      hidden = buffers.layers.back().output;
    }
    buffers.normed = a_.norm == Norm::pre ? rows() : nullptr;
    buffers.output = buffers.normed != nullptr ? buffers.normed : hidden;
    return buffers;
  }

 private:
  float* rows() { return carver_.take(n_, a_.d_model); }

  LayerBuffers layer(const float* input) {
    LayerBuffers layer;
    layer.input = input;
    layer.around_self = before();
    layer.self = AttentionBuffers(shape_.attention(stack_, AttentionKind::self), carver_);
    const float* hidden = after(layer.self.projected, layer.around_self);
    if (stack_ == Stack::decoder && a_.has_cross()) {
      layer.around_cross = before();
      layer.cross = AttentionBuffers(shape_.attention(stack_, AttentionKind::cross), carver_);
      hidden = after(layer.cross.projected, layer.around_cross);
    }
    if (a_.d_ff > 0) {
      layer.around_feed_forward = before();
      FeedForwardBuffers& f = layer.feed_forward;
      f = {carver_.take(n_, a_.d_ff), carver_.take(n_, a_.d_ff), rows()};
      hidden = after(f.output, layer.around_feed_forward);
    }
    layer.output = hidden;
    return layer;
  }

  SublayerBuffers before() { return {a_.norm == Norm::pre ? rows() : nullptr, nullptr, nullptr}; }

  /// Residual sum and norm after a sublayer; returns what leaves it.
  const float* after(const float* sublayer, SublayerBuffers& around) {
    around.residual = a_.residual ? rows() : nullptr;
    around.normed = a_.norm == Norm::post ? rows() : nullptr;
    if (around.normed != nullptr) return around.normed;
    return around.residual != nullptr ? around.residual : sublayer;
  }

  const PassShape& shape_;
  const Architecture& a_;
  Stack stack_;
  int n_;
  Carver& carver_;
};

/// Lays out a pass in the carver's block.
void lay_out(const PassShape& shape, Carver& carver, StackBuffers& encoder, StackBuffers& decoder,
             float*& logits, float*& probabilities) {
  const Architecture& a = shape.architecture;
  if (a.has(Stack::encoder)) encoder = StackLayout(shape, Stack::encoder, carver).laid_out();
  if (a.has(Stack::decoder)) decoder = StackLayout(shape, Stack::decoder, carver).laid_out();
  if (shape.vocabulary == 0) return;
  logits = carver.take(shape.n_tokens(a.last_stack()), shape.vocabulary);
  probabilities = carver.take(shape.n_tokens(a.last_stack()), shape.vocabulary);
}

}  // namespace

int PassShape::n_tokens(Stack stack) const {
  return architecture.stacks == Stacks::encoder_decoder && stack == Stack::decoder ? n_target : n_source;
}

AttentionShape PassShape::attention(Stack stack, AttentionKind kind) const {
  const Architecture& a = architecture;
  const bool is_cross = kind == AttentionKind::cross;
  const bool is_target = stack == Stack::decoder && a.has_cross();
  AttentionShape s;
  s.n_queries = n_tokens(stack);
  s.n_keys = is_cross ? n_source : s.n_queries;
  s.d_model = a.d_model;
  s.n_heads = a.n_heads;
  s.d_head = a.head_width();
  s.d_value = a.value_width();
  s.output_projection = a.output_projection;
  s.mask_changes_scores = is_cross    ? cross_mask_changes_scores
                          : is_target ? target_mask_changes_scores
                                      : mask_changes_scores;
  if (a.biases_positions() && !is_cross) s.mask_changes_scores = true;
  s.rotates = a.positions == Positions::rotary && !is_cross;
  s.drops = drops;
  return s;
}

std::size_t PassShape::floats() const {
  Carver counter(nullptr);
  StackBuffers encoder;
  StackBuffers decoder;
  float* logits = nullptr;
  float* probabilities = nullptr;
  lay_out(*this, counter, encoder, decoder, logits, probabilities);
  return counter.used();
}

PassBuffers::PassBuffers(const PassShape& s, AlignedBuffer block) : shape(s), memory(std::move(block)) {
  Carver carver(memory.data());
  lay_out(shape, carver, encoder, decoder, logits, probabilities);
}

const CombinedMask& PassMasks::of(const Architecture& architecture, Stack stack, AttentionKind kind) const {
  if (kind == AttentionKind::cross) return cross;
  return architecture.has_cross() && stack == Stack::decoder ? target : source;
}

const DistanceBiases* PassMasks::biases_of(const Architecture& architecture, Stack stack,
                                           AttentionKind kind) const {
  if (!architecture.biases_positions() || kind == AttentionKind::cross) return nullptr;
  return architecture.has_cross() && stack == Stack::decoder ? &target_biases : &source_biases;
}

}  // namespace headscope
