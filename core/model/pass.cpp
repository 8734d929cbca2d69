#include "core/model/pass.h"

#include <algorithm>
#include <cstddef>

#include "core/model/activate.h"
#include "core/model/later_rows.h"
#include "core/tensor/logistic.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/softmax.h"
#include "core/tensor/vector_ops.h"

namespace headscope {
namespace {

// The parts around a sublayer: norms and the residual connection.

/// Identifies a sublayer for interventions in its output.
struct Sublayer {
  HeadId place;  ///< The place of its attention; for the feed-forward layer, only stack and layer are used.
  PatchSite output_norm = PatchSite::output_norm;
  PatchSite residual = PatchSite::residual;
  PatchSite normed = PatchSite::normed;
};

/// The norm before the sublayer or after the sum, and the norm of the sublayer's output.
struct SublayerNorms {
  const NormWeights& norm;
  const NormWeights& of_output;
};

Sublayer attention_sublayer(Stack stack, int layer, AttentionKind kind) {
  return {{stack, kind, layer, 0}};
}

Sublayer feed_forward_sublayer(Stack stack, int layer) {
  return {{stack, AttentionKind::self, layer, 0},
          PatchSite::feed_forward_output_norm,
          PatchSite::feed_forward_residual,
          PatchSite::feed_forward_normed};
}

/// The input of a sublayer: `input` [n, D], normalised if the norm comes first.
const float* entered(const Architecture& a, const float* input, int n, const NormWeights& norm,
                     const SublayerBuffers& around) {
  if (around.norm == nullptr) return input;
  const auto width = static_cast<int>(norm.gain.size());
  normalise(a, norm, {input, n, width, width}, around.norm);
  return around.norm;
}

/// The result of a sublayer: its output [n, D], normalised, added to its input, and normalised, each only if
/// the architecture says so.
const float* left(const PassInputs& in, const Sublayer& sublayer, const float* input,
                  const MatrixView& output, const SublayerNorms& norms, const SublayerBuffers& around) {
  const Architecture& a = in.model.architecture;
  const int n = output.rows;
  const int width = output.cols;
  const float* result = output.data;
  if (around.output_norm != nullptr) {
    normalise(a, norms.of_output, output, around.output_norm);
    replace_rows(in.edits, sublayer.output_norm, sublayer.place, {around.output_norm, n, width});
    result = around.output_norm;
  }
  if (around.residual != nullptr) {
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(width);
    add(input, result, size, around.residual);
    replace_rows(in.edits, sublayer.residual, sublayer.place, {around.residual, n, width});
    result = around.residual;
  }
  if (around.normed == nullptr) return result;
  normalise(a, norms.norm, {result, n, width, width}, around.normed);
  replace_rows(in.edits, sublayer.normed, sublayer.place, {around.normed, n, width});
  return around.normed;
}

/// The state that all layers of a pass share.
struct Pass {
  const PassInputs& in;
  TaskPool& pool;
  const std::atomic<bool>* stop;
  bool again = false;  ///< Whether a layer is computed again from the kept outputs of its heads.
  const PassBuffers* base = nullptr;        ///< The finished pass of which a part is computed again.
  std::optional<HeadId> switched_off = {};  ///< A head by which alone that part differs from `base`.
  std::optional<int> row = {};  ///< The only row that is computed after the heads of the last layer.

  const Architecture& architecture() const { return in.model.architecture; }
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

MatrixView rows(const float* data, int n, int width) {
  return {data, n, width, width};
}

/// Computes the outputs of an attention's heads, or takes them from the pass that differs only in a later
/// step.
bool attend(const Pass& pass, const HeadId& place, const AttentionWeights& weights,
            const AttentionInputs& inputs, AttentionBuffers& buffers) {
  AttentionPlan plan = attention_plan(pass.in, place);
  plan.has_outputs = pass.again;
  if (pass.switched_off) {
    const auto [of_stack, kind, layer, head] = *pass.switched_off;
    if (HeadId{of_stack, kind, layer, 0} == place) {
      const LayerBuffers& kept = pass.base->stack(of_stack).layers[static_cast<std::size_t>(layer)];
      take_outputs_without(head, plan, kind == AttentionKind::self ? kept.self : kept.cross, buffers);
      return true;
    }
  }
  return heads_outputs(weights, inputs, plan, buffers, pass.pool, pass.stop);
}

void join(const Pass& pass, const HeadId& place, const AttentionWeights& weights, const MatrixView& input,
          AttentionBuffers& buffers) {
  join_heads(weights, input, attention_plan(pass.in, place), buffers, pass.pool);
}

void feed_forward(const Pass& pass, const HeadId& layer, const FeedForwardWeights& weights,
                  const MatrixView& input, const FeedForwardBuffers& buffers) {
  multiply(input, weights.hidden, buffers.hidden, pass.pool);
  const int width = weights.hidden.n_out();
  const std::size_t size = static_cast<std::size_t>(input.rows) * static_cast<std::size_t>(width);
  activate(pass.architecture().activation, buffers.hidden, size, buffers.activated);
  replace_rows(pass.in.edits, PatchSite::activated, layer, {buffers.activated, input.rows, width});
  if (buffers.up != nullptr) {
    multiply(input, weights.up, buffers.up, pass.pool);
    multiply_each(buffers.activated, buffers.up, size, buffers.gated);
  }
  multiply(rows(buffers.gated, input.rows, width), weights.output, buffers.output, pass.pool);
  replace_rows(pass.in.edits, PatchSite::feed_forward_output, layer,
               {buffers.output, input.rows, weights.output.n_out()});
}

/// Computes one layer. `memory` is what cross-attention reads. If `only` is given, it is one row of the
/// layer, and what follows the heads of self-attention is computed for that row. Returns false if the pass
/// was stopped.
bool layer_forward(const Pass& pass, Stack stack, int index, const MatrixView& memory, LayerBuffers& whole,
                   LayerBuffers* only = nullptr) {
  const LayerWeights& w = pass.in.model.stack(stack).layers[static_cast<std::size_t>(index)];
  const Architecture& a = pass.architecture();
  LayerBuffers& layer = only == nullptr ? whole : *only;
  const int n = layer.n_tokens;
  const int width = a.layer_width();
  const float* hidden = layer.input;

  MatrixView own;  // The input of the first sublayer.
  if (layer.self.shape.n_heads > 0) {
    const Sublayer sublayer = attention_sublayer(stack, index, AttentionKind::self);
    own = rows(entered(a, whole.input, whole.n_tokens, w.self_norm, whole.around_self), whole.n_tokens,
               a.d_model);
    if (!attend(pass, sublayer.place, w.self, {own, own, own}, whole.self)) return false;
    own = rows(own.data + (layer.input - whole.input), n, a.d_model);
    join(pass, sublayer.place, w.self, own, layer.self);
    hidden = left(pass.in, sublayer, hidden, rows(layer.self.projected, n, width),
                  {w.self_norm, w.self_output_norm}, layer.around_self);
  }
  if (layer.cross.shape.n_heads > 0) {
    const Sublayer sublayer = attention_sublayer(stack, index, AttentionKind::cross);
    const float* input = hidden;
    const MatrixView asks = rows(entered(a, input, n, w.cross_norm, layer.around_cross), n, a.d_model);
    if (own.data == nullptr) own = asks;
    if (!attend(pass, sublayer.place, w.cross, {asks, memory, memory}, layer.cross)) return false;
    join(pass, sublayer.place, w.cross, asks, layer.cross);
    hidden = left(pass.in, sublayer, input, rows(layer.cross.projected, n, width),
                  {w.cross_norm, w.cross_output_norm}, layer.around_cross);
  }
  if (layer.feed_forward.output != nullptr) {
    const float* input = hidden;
    const float* read = a.block == Block::sequential        ? input
                        : a.block == Block::parallel_shared ? own.data
                                                            : layer.input;
    const MatrixView in =
        rows(entered(a, read, n, w.feed_forward_norm, layer.around_feed_forward), n, a.d_model);
    const Sublayer sublayer = feed_forward_sublayer(stack, index);
    feed_forward(pass, sublayer.place, w.feed_forward, in, layer.feed_forward);
    left(pass.in, sublayer, input, rows(layer.feed_forward.output, n, a.d_model),
         {w.feed_forward_norm, w.feed_forward_output_norm}, layer.around_feed_forward);
  }
  return true;
}

/// Copies a layer's output out of the memory that the next layer is computed in.
void keep_output(const LayerBuffers& layer, int width) {
  const auto size = static_cast<std::ptrdiff_t>(layer.n_tokens) * width;
  std::copy_n(layer.output, size, layer.kept_output);
}

void finish_stack(const Pass& pass, Stack which, const StackBuffers& stack) {
  if (stack.normed == nullptr) return;
  const NormWeights& norm = pass.in.model.stack(which).norm;
  normalise(pass.architecture(), norm,
            rows(stack.layers.back().output, stack.n_tokens, static_cast<int>(norm.gain.size())),
            stack.normed);
}

/// Computes the rows that the final linear layer reads, if the output of the last stack is transformed first.
void transform_rows(const Model& model, const MatrixView& in, const OutputTransformBuffers& to,
                    TaskPool& pool) {
  const int width = model.output_transform.n_out();
  multiply(in, model.output_transform, to.hidden, pool);
  const std::size_t size = static_cast<std::size_t>(in.rows) * static_cast<std::size_t>(width);
  activate(model.architecture.activation, to.hidden, size, to.activated);
  normalise(model.architecture, model.output_transform_norm, rows(to.activated, in.rows, width), to.output);
}

/// Computes what is kept of the final linear layer for the rows from `first` on.
void predict(const Pass& pass, PassBuffers& buffers, int first = 0) {
  const Architecture& a = pass.architecture();
  const StackBuffers& last = buffers.stack(a.last_stack());
  const int n = last.n_tokens - first;
  const int words = buffers.shape.vocabulary;
  const auto behind = [first](auto* part, int width) {
    return part + static_cast<std::ptrdiff_t>(first) * width;
  };
  const float* read = behind(last.output, a.layer_width());
  if (const OutputTransformBuffers& transform = buffers.transform; transform.output != nullptr) {
    const int width = a.output_width();
    const OutputTransformBuffers to{behind(transform.hidden, width), behind(transform.activated, width),
                                    behind(transform.output, width)};
    transform_rows(pass.in.model, rows(read, n, a.d_model), to, pass.pool);
    read = to.output;
  }
  if (buffers.logits == nullptr) return;
  float* const logits = behind(buffers.logits, words);
  multiply(rows(read, n, a.output_width()), pass.in.unembedding, logits, pass.pool);
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(words);
  if (a.logit_softcap > 0.0F) softcap(logits, size, a.logit_softcap, logits);
  ScoreBlock block;
  block.rows = n;
  block.cols = words;
  block.masked = logits;
  block.weights = behind(buffers.probabilities, words);
  softmax_over_keys(block);
}

/// Computes the layers of a stack from `first` on, and its last norm. Returns false if the pass was stopped.
template <class LayerDone>
bool layers_forward(const Pass& pass, Stack which, int first, const MatrixView& memory, PassBuffers& buffers,
                    const LayerDone& layer_done) {
  StackBuffers& stack = which == Stack::encoder ? buffers.encoder : buffers.decoder;
  const bool keeps_layers = buffers.shape.kept != Kept::layer_inputs;
  const CapturedAttention* const captured = pass.in.model.captured.get();
  WholeLayer work;
  for (auto l = static_cast<std::size_t>(first); l < stack.layers.size(); ++l) {
    if (pass.stopped()) return false;
    if (!keeps_layers) {
      work = {};  // Frees the previous layer first, so that two are never held at once.
      work = whole_layer(buffers.shape, which, static_cast<int>(l), stack.layers[l], true);
    }
    LayerBuffers& layer = keeps_layers ? stack.layers[l] : work.buffers;
    if (pass.row && which == pass.architecture().last_stack() && l + 1 == stack.layers.size()) {
      StackBuffers only = only_row(pass.architecture(), stack, *pass.row);
      if (!layer_forward(pass, which, static_cast<int>(l), memory, layer, &only.layers.back())) return false;
      finish_stack(pass, which, only);
      return true;
    }
    if (!layer_forward(pass, which, static_cast<int>(l), memory, layer)) return false;
    if (captured != nullptr) {
      captured->read_hidden(static_cast<int>(l) + 1, stack.n_tokens, pass.architecture().d_model,
                            layer.kept_output);
    } else if (!keeps_layers) {
      keep_output(layer, pass.architecture().layer_width());
    }
    // The last layer is done only after the norm that follows it.
    if (l + 1 == stack.layers.size()) finish_stack(pass, which, stack);
    layer_done();
  }
  return true;
}

}  // namespace

bool forward(const PassInputs& inputs, PassBuffers& buffers, TaskPool& pool, const std::atomic<bool>* stop,
             const OnLayer& on_layer) {
  const Pass pass{inputs, pool, stop, false};
  int done = 0;
  MatrixView memory = inputs.memory;
  for (const Stack which : {Stack::encoder, Stack::decoder}) {
    StackBuffers& stack = which == Stack::encoder ? buffers.encoder : buffers.decoder;
    const auto layer_done = [&] {
      if (on_layer) on_layer(++done);
    };
    if (!layers_forward(pass, which, 0, memory, buffers, layer_done)) return false;
    if (stack.output != nullptr) memory = rows(stack.output, stack.n_tokens, pass.architecture().d_model);
  }
  if (buffers.shape.vocabulary > 0) predict(pass, buffers);
  return !pass.stopped();
}

bool forward_behind(const PassInputs& inputs, const PassBuffers& before, int n, PassBuffers& buffers,
                    TaskPool& pool, const std::atomic<bool>* stop, const OnLayer& on_layer) {
  const Architecture& a = inputs.model.architecture;
  const Stack which = a.last_stack();
  copy_first_rows(before, n, buffers);
  const PassMasks masks = behind_first_rows(inputs.masks, a, n);
  const PassInputs later{inputs.model, inputs.options, masks, inputs.unembedding};
  const Pass pass{later, pool, stop, false};
  const StackBuffers& whole = buffers.stack(which);
  StackBuffers stack = behind_first_rows(a, whole, n);
  for (std::size_t l = 0; l < stack.layers.size(); ++l) {
    if (pass.stopped()) return false;
    const int layer = static_cast<int>(l);
    if (!layer_forward(pass, which, layer, {}, stack.layers[l])) return false;
    score_later_keys(attention_plan(inputs, {which, AttentionKind::self, layer, 0}), n, whole.layers[l].self);
    if (l + 1 == stack.layers.size()) finish_stack(pass, which, stack);
    if (on_layer) on_layer(layer + 1);
  }
  if (buffers.shape.vocabulary > 0) predict(pass, buffers, n);
  return !pass.stopped();
}

namespace {

/// Whether the steps after the heads of the last layer can be computed for one row alone: nothing else reads
/// the other rows, and no intervention relies on them.
bool computes_single_rows(const PassInputs& inputs, const PassBuffers& buffers) {
  const Architecture& a = inputs.model.architecture;
  const bool has_row_edits =
      inputs.edits != nullptr && !(inputs.edits->rows.empty() && inputs.edits->given.empty());
  return !a.has_cross() && !has_row_edits && inputs.model.captured == nullptr &&
         buffers.shape.kept != Kept::layer_inputs;
}

bool replaces_input(const PassEdits* edits, Stack stack) {
  return edits != nullptr && std::ranges::any_of(edits->rows, [stack](const RowEdit& edit) {
           return edit.site == PatchSite::input && edit.place.stack == stack;
         });
}

}  // namespace

bool forward_from(const PassInputs& inputs, const PassBuffers& base, const PartOfPass& part,
                  PassBuffers& buffers, TaskPool& pool, const std::atomic<bool>* stop) {
  Pass pass{inputs, pool, stop, false, &base};
  pass.switched_off = part.switched_off;
  if (computes_single_rows(inputs, buffers)) pass.row = part.row;
  const Architecture& a = pass.architecture();
  const auto run = [&](Stack which, int first, const MatrixView& memory) {
    LayerBuffers& entered =
        (which == Stack::encoder ? buffers.encoder : buffers.decoder).layers[static_cast<std::size_t>(first)];
    const float* own = entered.input;
    const float* const input = base.stack(which).layers[static_cast<std::size_t>(first)].input;
    StackBuffers& stack_buffers = which == Stack::encoder ? buffers.encoder : buffers.decoder;
    const SiteRows rows_of_input{stack_buffers.input, stack_buffers.n_tokens, a.d_model};
    if (first == 0 && replaces_input(inputs.edits, which)) {
      std::copy_n(input, static_cast<std::ptrdiff_t>(rows_of_input.n) * a.d_model, rows_of_input.data);
      replace_rows(inputs.edits, PatchSite::input, {which}, rows_of_input);
    } else {
      entered.input = input;
    }
    const bool complete = layers_forward(pass, which, first, memory, buffers, [] {});
    entered.input = own;  // A later run may begin before this layer.
    return complete;
  };
  const bool begins_in_encoder = part.stack == Stack::encoder;
  if (begins_in_encoder && !run(Stack::encoder, part.layer, {})) return false;
  if (!a.has(Stack::decoder)) return true;
  const StackBuffers& encoder = begins_in_encoder ? buffers.encoder : base.encoder;
  const MatrixView memory = a.has_cross() ? rows(encoder.output, encoder.n_tokens, a.d_model) : MatrixView();
  return run(Stack::decoder, begins_in_encoder ? 0 : part.layer, memory);
}

Matrix logits_of_rows(const PassInputs& inputs, MatrixView rows, TaskPool& pool) {
  const int width = inputs.model.architecture.output_width();
  std::vector<float> transformed;
  if (inputs.model.architecture.has_output_transform()) {
    const std::ptrdiff_t size = std::ptrdiff_t{rows.rows} * width;
    transformed.resize(3 * static_cast<std::size_t>(size));
    float* const first = transformed.data();
    transform_rows(inputs.model, rows, {first, first + size, first + 2 * size}, pool);
    rows = {first + 2 * size, rows.rows, width, width};
  }
  Matrix logits(rows.rows, inputs.unembedding.n_out());
  multiply(rows, inputs.unembedding, logits.data(), pool);
  const float cap = inputs.model.architecture.logit_softcap;
  if (cap > 0.0F) softcap(logits.data(), static_cast<std::size_t>(logits.size()), cap, logits.data());
  return logits;
}

AttentionPlan attention_plan(const PassInputs& inputs, const HeadId& attention) {
  const Architecture& a = inputs.model.architecture;
  const auto [stack, kind, layer, head] = attention;
  AttentionPlan plan{
      inputs.options, inputs.masks.of(a, attention), inputs.masks.biases_of(a, attention), {}, false};
  if (inputs.options.drops()) plan.dropout = dropout_of(inputs.options, stack, layer, kind);
  plan.edits = inputs.edits;
  plan.place = attention;
  plan.score_scale = a.score_scale;
  plan.norm_epsilon = a.norm_epsilon;
  const LayerWeights& weights = inputs.model.stack(stack).layers[static_cast<std::size_t>(layer)];
  const AttentionWeights& own = kind == AttentionKind::self ? weights.self : weights.cross;
  if (a.sinks) plan.sinks = own.sinks.data();
  plan.captured = inputs.model.captured.get();
  plan.softcap = a.softcap;
  return plan;
}

WholeLayer compute_layer(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                         TaskPool& pool) {
  const Pass pass{inputs, pool, nullptr, true};
  const StackBuffers& encoder = buffers.stack(Stack::encoder);
  const MatrixView memory = rows(encoder.output, encoder.n_tokens, pass.architecture().d_model);
  const LayerBuffers& kept = buffers.stack(stack).layers[static_cast<std::size_t>(layer)];
  WholeLayer result = whole_layer(buffers.shape, stack, layer, kept, false);
  layer_forward(pass, stack, layer, memory, result.buffers);
  return result;
}

WholeLayer compute_projections(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                               TaskPool& pool) {
  const LayerBuffers& kept = buffers.stack(stack).layers[static_cast<std::size_t>(layer)];
  const LayerWeights& weights = inputs.model.stack(stack).layers[static_cast<std::size_t>(layer)];
  const AttentionShape& s = kept.self.shape;
  const auto laid_out = [&](Carver& carver) {
    LayerBuffers parts;
    parts.self.shape = s;
    parts.around_self.norm =
        inputs.model.architecture.norms_inputs() ? carver.take(s.n_queries, s.d_model) : nullptr;
    parts.self.take_projections(carver);
    return parts;
  };
  Carver counter(nullptr);
  laid_out(counter);
  WholeLayer result;
  result.memory = AlignedBuffer(counter.used());
  Carver carver(result.memory.data());
  result.buffers = laid_out(carver);
  const float* input = entered(inputs.model.architecture, kept.input, s.n_queries, weights.self_norm,
                               result.buffers.around_self);
  const MatrixView own = rows(input, s.n_queries, s.d_model);
  project(weights.self, {own, own, own}, attention_plan(inputs, {stack, AttentionKind::self, layer, 0}),
          result.buffers.self, pool);
  return result;
}

}  // namespace headscope
