#include <algorithm>

#include "core/model/head_pass.h"
#include "core/model/pass.h"

namespace headscope {
namespace {

/// Lays out one stack after another. Keeps what depends on a part's position in its layer.
class StackLayout {
 public:
  StackLayout(const PassShape& shape, Stack stack, Carver& carver)
      : shape_(shape), a_(shape.architecture), stack_(stack), n_(shape.n_tokens(stack)), carver_(carver) {}

  StackBuffers laid_out() {
    StackBuffers buffers;
    buffers.n_tokens = n_;
    const int width = a_.embedding_width();
    buffers.embedding = carver_.take(n_, width);
    buffers.positions = a_.adds_positions() ? carver_.take(n_, width) : nullptr;
    buffers.segments = a_.foreign.segments > 0 ? carver_.take(n_, width) : nullptr;
    buffers.sum = a_.prepares_input() ? carver_.take(n_, width) : nullptr;
    buffers.sum_normed = a_.foreign.embedding_norm ? carver_.take(n_, width) : nullptr;
    const bool is_apart = a_.adds_to_embedding() || a_.prepares_input() || shape_.gives_input;
    buffers.input = is_apart ? rows() : buffers.embedding;
    const float* hidden = buffers.input;
    for (int l = 0; l < a_.layers_of(stack_); ++l) {
      buffers.layers.push_back(shape_.kept == Kept::layer_inputs ? outline(l, hidden) : layer(l, hidden));
      if (a_.foreign.captured) keep_output_apart(buffers.layers.back());
      hidden = buffers.layers.back().output;
    }
    buffers.normed = a_.has_final_norm(stack_) ? rows() : nullptr;
    buffers.output = buffers.normed != nullptr ? buffers.normed : hidden;
    return buffers;
  }

  /// Lays out every part of a layer, except for the outputs of its heads if `kept` has them. If the layer is
  /// only passed through, its inner parts are never read. The feed-forward layer then activates in place and
  /// reuses the memory of self-attention once the result of self-attention has been added up.
  LayerBuffers layer(int index, const float* input, const LayerBuffers* kept = nullptr,
                     bool is_passed_through = false) {
    float* const self_outputs = kept == nullptr ? nullptr : kept->self.concat;
    float* const cross_outputs = kept == nullptr ? nullptr : kept->cross.concat;
    LayerBuffers layer;
    layer.input = input;
    layer.n_tokens = n_;
    const std::size_t before_self = carver_.used();
    const float* hidden = input;
    float* self_parts = nullptr;
    std::size_t self_floats = 0;
    if (a_.has(stack_, AttentionKind::self)) {
      layer.around_self = before();
      layer.self =
          AttentionBuffers(shape_.attention(stack_, AttentionKind::self, index), carver_, self_outputs);
      self_floats = carver_.used() - before_self;
      self_parts = a_.norms_inputs() ? layer.around_self.norm : layer.self.query;
      hidden = after(layer.self.projected, layer.around_self);
    }
    if (a_.has(stack_, AttentionKind::cross)) {
      layer.around_cross = before();
      layer.cross =
          AttentionBuffers(shape_.attention(stack_, AttentionKind::cross, index), carver_, cross_outputs);
      hidden = after(layer.cross.projected, layer.around_cross);
    }
    if (a_.d_ff > 0) {
      if (a_.feed_forward_has_norm()) layer.around_feed_forward = before();
      FeedForwardBuffers& f = layer.feed_forward;
      const bool is_added_up = a_.residual || a_.norm == Norm::post;
      const bool reads_parts = a_.block == Block::parallel_shared && a_.norms_inputs();
      const bool is_free = is_passed_through && is_added_up && !reads_parts;
      const auto floats = static_cast<std::size_t>(n_) * static_cast<std::size_t>(a_.d_ff);
      f.hidden = is_free && floats <= self_floats ? self_parts : carver_.take(floats);
      f.activated = is_passed_through ? f.hidden : carver_.take(n_, a_.d_ff);
      f.up = a_.gated ? carver_.take(n_, a_.d_ff) : nullptr;
      f.gated = a_.gated && !is_passed_through ? carver_.take(n_, a_.d_ff) : f.activated;
      f.output = rows();
      hidden = after(f.output, layer.around_feed_forward);
    }
    layer.output = hidden;
    return layer;
  }

 private:
  float* rows() { return carver_.take(n_, a_.d_model); }

  /// Gives the output of a layer separate memory, because the layers of a capture are read one by one and no
  /// part of a layer computes its output.
  void keep_output_apart(LayerBuffers& layer) {
    if (layer.kept_output == nullptr) layer.kept_output = rows();
    layer.output = layer.kept_output;
  }

  /// Lays out what is kept of a layer that is computed again on demand.
  LayerBuffers outline(int index, const float* input) {
    LayerBuffers layer;
    layer.input = input;
    layer.n_tokens = n_;
    if (a_.has(stack_, AttentionKind::self)) layer.self = outline(AttentionKind::self, index);
    if (a_.has(stack_, AttentionKind::cross)) layer.cross = outline(AttentionKind::cross, index);
    layer.kept_output = carver_.take(n_, a_.layer_width());
    layer.output = layer.kept_output;
    return layer;
  }
  AttentionBuffers outline(AttentionKind kind, int index) {
    AttentionBuffers buffers;
    buffers.shape = shape_.attention(stack_, kind, index);
    buffers.concat = carver_.take(n_, buffers.shape.concat_width());
    const AttentionShape& s = buffers.shape;
    if (!s.output_projection && !s.gates && !s.copies_projected) buffers.projected = buffers.concat;
    if (!buffers.shape.gates) buffers.gated = buffers.concat;
    return buffers;
  }

  SublayerBuffers before() {
    SublayerBuffers around;
    around.norm = a_.norms_inputs() ? rows() : nullptr;
    return around;
  }

  /// Lays out norms and the residual sum after a sublayer. Returns the sublayer's result.
  const float* after(const float* sublayer, SublayerBuffers& around) {
    around.output_norm = a_.norms_outputs() ? rows() : nullptr;
    if (around.output_norm != nullptr) sublayer = around.output_norm;
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
             OutputTransformBuffers& transform, float*& logits, float*& probabilities) {
  const Architecture& a = shape.architecture;
  if (a.has(Stack::encoder) && (!shape.decodes || !a.has_cross()))
    encoder = StackLayout(shape, Stack::encoder, carver).laid_out();
  if (a.has(Stack::decoder)) decoder = StackLayout(shape, Stack::decoder, carver).laid_out();
  if (shape.vocabulary == 0) return;
  if (a.has_output_transform()) {
    for (float** part : {&transform.hidden, &transform.activated, &transform.output})
      *part = carver.take(shape.n_tokens(a.last_stack()), a.output_width());
  }
  if (!shape.keeps_predictions) return;
  logits = carver.take(shape.n_tokens(a.last_stack()), shape.vocabulary);
  probabilities = carver.take(shape.n_tokens(a.last_stack()), shape.vocabulary);
}

}  // namespace

int PassShape::n_tokens(Stack stack) const {
  return architecture.has_cross() && stack == Stack::decoder ? n_target : n_source;
}

AttentionShape PassShape::attention(Stack stack, AttentionKind kind, int layer) const {
  const Architecture& a = architecture;
  const bool is_cross = kind == AttentionKind::cross;
  const bool is_target = stack == Stack::decoder && a.has_cross();
  AttentionShape s;
  s.n_queries = n_tokens(stack);
  const int before = stack == a.last_stack() ? n_cached : 0;
  const int kept_before = before > 0 && a.slides(layer) ? before - n_let_go : before;
  s.n_keys = is_cross ? n_source : kept_before + s.n_queries;
  s.n_cached = is_cross && before > 0 ? n_source : kept_before;
  s.first_position = before;
  s.d_model = a.d_model;
  s.n_heads = a.n_heads;
  s.n_kv_heads = a.kv_heads();
  s.d_head = a.head_width();
  s.d_value = a.value_width();
  s.output_projection = a.output_projection;
  s.mask_changes_scores = is_cross    ? cross_mask_changes_scores
                          : is_target ? target_mask_changes_scores
                                      : mask_changes_scores;
  if (a.biases_positions() && !is_cross) s.mask_changes_scores = true;
  s.rotates = a.rotates() && !is_cross;
  s.rotary = a.rotary_of(layer);
  s.latent_width = a.kv_latent.value_or(0);
  s.shared_key_width = a.shared_key_width(kind);
  s.caps = a.softcap > 0.0F;
  s.norms = a.qk_norm;
  s.gates = a.output_gate;
  s.is_linear = a.linear_attention;
  s.drops = drops;
  s.copies_projected = edits_projected && !a.output_projection;
  s.keeps_maps = kept == Kept::everything && !a.reads_weights();
  const bool hides = is_cross ? cross_mask_hides : is_target ? target_mask_hides : mask_hides;
  if (reads_state && !is_cross) {
    s.n_keys = s.n_queries;
    s.n_cached = 0;
    s.keeps_maps = false;
  }
  s.keeps_scores = !hides || !maps_are_large(s) || drops;
  return s;
}

std::size_t PassShape::floats() const {
  Carver counter(nullptr);
  StackBuffers encoder;
  StackBuffers decoder;
  OutputTransformBuffers transform;
  float* logits = nullptr;
  float* probabilities = nullptr;
  lay_out(*this, counter, encoder, decoder, transform, logits, probabilities);
  return counter.used();
}

PassBuffers::PassBuffers(const PassShape& s, AlignedBuffer block) : shape(s), memory(std::move(block)) {
  Carver carver(memory.data());
  lay_out(shape, carver, encoder, decoder, transform, logits, probabilities);
}

std::size_t PassShape::peak_floats() const {
  std::size_t largest_layer = 0;
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    if (kept != Kept::layer_inputs || !architecture.has(stack)) continue;
    // Any address will do, because only sizes are counted.
    float somewhere = 0.0F;
    // Layers differ in size only with a cache.
    constexpr int any_layer = 0;
    LayerBuffers outline;
    outline.self.concat = &somewhere;
    outline.cross.concat = &somewhere;
    Carver counter(nullptr);
    StackLayout(*this, stack, counter).layer(any_layer, nullptr, &outline, true);
    largest_layer = std::max(largest_layer, counter.used());
  }
  return floats() + largest_layer;
}

Kept most_kept(PassShape shape, std::size_t max_floats) {
  for (const Kept kept : {Kept::everything, Kept::no_maps}) {
    shape.kept = kept;
    if (shape.peak_floats() <= max_floats) return kept;
  }
  return Kept::layer_inputs;
}

WholeLayer whole_layer(const PassShape& shape, Stack stack, int layer, const LayerBuffers& kept,
                       bool is_passed_through) {
  const auto laid_out = [&](Carver& carver) {
    LayerBuffers whole = StackLayout(shape, stack, carver).layer(layer, kept.input, &kept, is_passed_through);
    whole.kept_output = kept.kept_output;
    return whole;
  };
  Carver counter(nullptr);
  laid_out(counter);
  WholeLayer result;
  result.memory = AlignedBuffer(counter.used());
  Carver carver(result.memory.data());
  result.buffers = laid_out(carver);
  return result;
}

const CombinedMask& PassMasks::of(const Architecture& architecture, const HeadId& place) const {
  if (place.attention == AttentionKind::cross) return cross;
  const bool is_target = architecture.has_cross() && place.stack == Stack::decoder;
  if (architecture.slides(place.layer)) return is_target ? sliding_target : sliding_source;
  return is_target ? target : source;
}

const DistanceBiases* PassMasks::biases_of(const Architecture& architecture, const HeadId& place) const {
  if (!architecture.biases_positions() || place.attention == AttentionKind::cross) return nullptr;
  if (!sliding_biases.empty() && architecture.slides(place.layer)) return &sliding_biases;
  return architecture.has_cross() && place.stack == Stack::decoder ? &target_biases : &source_biases;
}

}  // namespace headscope
