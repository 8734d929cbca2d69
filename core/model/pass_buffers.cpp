#include <algorithm>
#include <array>

#include "core/model/attention.h"
#include "core/model/pass.h"

namespace headscope {
namespace {

using enum StageKind;

/// Whether the stage of a step is kept even if the rest of its layer is recomputed on demand.
bool outlives_layer(const PassShape& shape, const Step& step, int layer) {
  const StageKind kind = step.stage.kind;
  if (kind == rotated_key || kind == value) return shape.architecture().lends_keys(layer);
  return step.op == Op::average || kind == streams_input || kind == streams_output || kind == layer_input ||
         kind == concat || kind == layer_output;
}

std::size_t floats_of(const PassShape& shape, const Step& step, const StageId& id) {
  if (is_map(id.kind)) {
    const AttentionShape s = shape.attention(id.stack, id.attention, id.layer);
    const bool is_before_mask = step.op == Op::scores || step.op == Op::scale || step.op == Op::cap;
    if (!s.keeps_maps || step.op == Op::captured || (is_before_mask && !s.keeps_scores)) return 0;
    return static_cast<std::size_t>(s.n_heads) * s.map_floats();
  }
  return static_cast<std::size_t>(shape.stored_rows(id).size()) * static_cast<std::size_t>(shape.width(id));
}

/// The stage that a step aliases, if any.
std::optional<StageId> repeated_by(const PassShape& shape, const Step& step, const StageId& id) {
  if (id.kind == concat) return with_layer(step.operands.front(), id.layer);
  if (id.kind == layer_input || id.kind == streams_input) {
    const bool is_first = id.layer == 0;
    const StageKind start = id.kind == layer_input ? input : streams_start;
    return StageId{is_first ? start : before(id.kind), id.stack, is_first ? 0 : id.layer - 1};
  }
  if (id.kind == layer_output && shape.kept == Retention::layer_inputs) return std::nullopt;
  if (step.op == Op::mask)
    return shape.attention(id.stack, id.attention, id.layer).mask_changes_scores
               ? std::nullopt
               : std::optional(with_layer(step.operands.front(), id.layer));
  const bool repeats = step.op == Op::copy || (step.op == Op::sum && step.operands.size() == 1);
  if (!repeats || shape.edits_rows) return std::nullopt;
  return shape.graph->operand(step, 0, id.layer);
}

/// Allocates memory for steps.
void lay_out(const PassShape& shape, const std::vector<Step>& steps, int layer, Arena& arena,
             StageAddresses& places) {
  const Architecture& a = shape.architecture();
  for (const Step& step : steps) {
    const StageId id = with_layer(step.stage, layer);
    const bool is_prediction = id.kind == logits || id.kind == probabilities;
    if (is_prediction && !shape.keeps_predictions) continue;
    // A capture holds the output of the last layer as that of the stack.
    if (step.op == Op::captured && id.kind == layer_output && layer == a.layers_of(id.stack) - 1) continue;
    if (const auto same = repeated_by(shape, step, id)) {
      places.put(id, places.at(*same));
      continue;
    }
    const bool is_in_layer = info(id.kind).scope >= StageScope::layer;
    if (is_in_layer && shape.kept == Retention::layer_inputs && !outlives_layer(shape, step, id.layer))
      continue;
    if (const std::size_t n = floats_of(shape, step, id); n > 0) places.put(id, arena.take(n));
  }
}

void lay_out(const PassShape& shape, Arena& arena, StageAddresses& places) {
  const Architecture& a = shape.architecture();
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    const bool is_computed =
        shape.kept != Retention::predictions && (!shape.is_decoding || stack == a.last_stack());
    if (!a.has(stack) || !is_computed) continue;
    const StackSteps& steps = shape.graph->steps(stack);
    lay_out(shape, steps.input, 0, arena, places);
    for (int l = 0; l < a.layers_of(stack); ++l)
      lay_out(shape, shape.graph->layer_steps(stack, l), l, arena, places);
    lay_out(shape, steps.output, 0, arena, places);
  }
  if (shape.vocabulary > 0) lay_out(shape, shape.graph->prediction_steps(), 0, arena, places);
}

/// The floats of a step in the memory of a layer.
struct LayerPart {
  std::size_t first = 0, size = 0, last_read = 0;
  bool is_taken = false;

  std::size_t end() const { return first + Arena::rounded(size); }
};

/// The first place for this many floats between the parts that are taken.
std::size_t free_place(const std::vector<LayerPart>& parts, std::size_t n) {
  LayerPart found{.size = n};
  const auto overlaps = [&](const LayerPart& part) {
    return part.is_taken && part.first < found.end() && found.first < part.end();
  };
  auto part = std::ranges::find_if(parts, overlaps);
  for (; part != parts.end(); part = std::ranges::find_if(parts, overlaps)) found.first = part->end();
  return found.first;
}

/// The memory layout of a layer that a pass does not keep: the places of its stages, and its size in floats.
/// If `reuses_memory`, the memory of a step is reused after its last reader.
std::pair<std::vector<std::pair<StageId, std::size_t>>, std::size_t> layout_of_layer(
    PassShape shape, int layer, const std::vector<Step>& steps, bool reuses_memory) {
  shape.kept = Retention::no_maps;
  std::vector<LayerPart> parts(steps.size());  // of the steps
  // The part that holds the numbers of a stage; aliases have that of the step that they alias.
  std::array<LayerPart*, 2 * enum_count<StageKind>> holders{};
  const auto holder = [&](const StageId& id) -> LayerPart*& {
    return holders[index_of(id.attention) * enum_count<StageKind> + index_of(id.kind)];
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StageId& id = steps[i].stage;
    const auto same = repeated_by(shape, steps[i], id);
    LayerPart* const repeated = same ? holder(*same) : nullptr;
    holder(id) = same ? repeated : &parts[i];
    parts[i].last_read = i;
    if (repeated != nullptr) repeated->last_read = i;
    for (const StageId& operand : steps[i].operands)
      if (LayerPart* const read = holder(operand)) read->last_read = i;
  }
  std::vector<std::pair<StageId, std::size_t>> places;
  std::size_t floats = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const StageId id = with_layer(step.stage, layer);
    if (traits_of(step.op).is_inside_heads || outlives_layer(shape, step, id.layer)) continue;
    LayerPart* const own = holder(step.stage);
    if (own == &parts[i]) {
      own->size = floats_of(shape, step, id);
      if (own->size == 0) continue;  // A capture has it.
      // Elementwise steps may work in place.
      const bool may_overwrite = reuses_memory && traits_of(step.op).may_overwrite;
      LayerPart* const read = may_overwrite ? holder(step.operands.front()) : nullptr;
      const bool in_place =
          read != nullptr && read->is_taken && read->size == own->size && read->last_read == i;
      if (in_place) read->is_taken = false;
      own->first = in_place ? read->first : free_place(parts, own->size);
      own->is_taken = true;
      floats = std::max(floats, own->end());
    }
    if (own != nullptr && own->is_taken) places.emplace_back(step.stage, own->first);
    for (std::size_t done = 0; reuses_memory && done <= i; ++done)
      if (parts[done].last_read <= i) parts[done].is_taken = false;
  }
  return {std::move(places), floats};
}

AttentionBuffers attention_in(const PassShape& shape, const HeadId& place, const HeadChain* chosen,
                              const auto& at) {
  AttentionBuffers buffers;
  buffers.shape = shape.attention(place.stack, place.attention, place.layer);
  const std::vector<HeadChain>& chains = shape.graph->chains(place.stack, place.attention);
  if (chains.empty()) return buffers;  // A capture may hold neither weights nor queries and keys.
  const HeadChain& chain = chosen == nullptr ? chains.front() : *chosen;
  const auto part = [&](StageKind kind) {
    return at(stage_in({place.stack, place.attention, place.layer, 0}, kind));
  };
  const auto result = [&](Op op) -> float* {
    const Step* const step = chain.step(op);
    return step == nullptr ? nullptr : part(step->stage.kind);
  };
  if (!chain.score_operands().empty()) {
    buffers.query = part(chain.score_operands().front().kind);
    buffers.key = part(chain.score_operands().back().kind);
  }
  buffers.position_query = part(position_query);
  buffers.position_key = part(position_key);
  if (const Step* const average = chain.step(Op::average))
    buffers.value = part(average->operands.back().kind);
  buffers.raw = result(Op::scores);
  buffers.scaled = result(Op::scale) == nullptr ? buffers.raw : result(Op::scale);
  buffers.capped = result(Op::cap) == nullptr ? buffers.scaled : result(Op::cap);
  buffers.masked = result(Op::mask);
  buffers.weights = result(Op::softmax);
  buffers.dropped = result(Op::drop) == nullptr ? buffers.weights : result(Op::drop);
  buffers.state = part(state);
  buffers.concat = result(Op::average);
  return buffers;
}

}  // namespace

int PassShape::n_tokens(Stack stack) const {
  return architecture().has_cross() && stack == Stack::decoder ? n_target : n_source;
}

RowRange PassShape::keys(Stack stack, AttentionKind kind, int layer) const {
  if (kind == AttentionKind::cross) return {0, n_source};
  const Architecture& a = architecture();
  const int before = stack == a.last_stack() ? n_cached : 0;
  const int end = before + n_tokens(stack);
  // Linear attention sums the keys before these up in its state, and does not keep them.
  if (reads_state) return {before, end};
  return {before > 0 && a.has_sliding_window(layer) ? n_evicted : 0, end};
}

AttentionShape PassShape::attention(Stack stack, AttentionKind kind, int layer) const {
  const Architecture& a = architecture();
  const bool is_cross = kind == AttentionKind::cross;
  const bool is_target = stack == Stack::decoder && a.has_cross();
  const RowRange per_head_keys = keys(stack, kind, layer);
  AttentionShape s;
  s.n_queries = n_tokens(stack);
  s.first_query = stack == a.last_stack() ? n_cached : 0;
  s.first_key = per_head_keys.first;
  s.n_keys = per_head_keys.size();
  s.d_model = a.d_model;
  s.n_heads = a.n_heads;
  s.n_kv_heads = a.kv_heads(layer);
  s.d_head = a.head_width(layer);
  s.d_value = a.value_width(layer);
  s.output_projection = a.output_projection;
  s.mask_changes_scores = is_cross    ? cross_mask_changes_scores
                          : is_target ? target_mask_changes_scores
                                      : mask_changes_scores;
  if (a.has_score_biases() && !is_cross) s.mask_changes_scores = true;
  s.has_softcap = a.softcap > 0.0F;
  s.is_linear = a.linear_attention;
  s.has_dropout = graph->has_dropout();
  s.keeps_maps = kept == Retention::everything && !a.has_captured_weights() && !(reads_state && !is_cross);
  const bool hides = is_cross ? cross_mask_hides : is_target ? target_mask_hides : mask_hides;
  s.keeps_scores = !hides || !should_stream_maps(s) || s.has_dropout;
  return s;
}

RowRange PassShape::stored_rows(const StageId& id) const {
  if (info(id.kind).rows == Axis::key_tokens) return keys(id.stack, id.attention, id.layer);
  if (info(id.kind).rows == Axis::distances) return {0, 2 * n_tokens(id.stack) - 1};
  const bool is_of_model = info(id.kind).scope == StageScope::model;
  const Stack stack = is_of_model ? architecture().last_stack() : id.stack;
  const int first = stack == architecture().last_stack() ? n_cached : 0;
  return {first, first + n_tokens(stack)};
}

int PassShape::width(const StageId& id) const {
  const Architecture& a = architecture();
  const StageInfo& kind = info(id.kind);
  const int own = axis_length({.architecture = a, .n_words = vocabulary}, id, kind.cols);
  if (kind.scope != StageScope::head) return own;
  return own * (kind.is_per_group ? a.kv_heads(id.layer) : a.n_heads);
}

std::size_t PassShape::floats() const {
  Arena counter(nullptr);
  StageAddresses places(architecture().n_layers);
  lay_out(*this, counter, places);
  return counter.used();
}

std::size_t PassShape::peak_floats() const {
  std::size_t largest_layer = 0;
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    if (kept != Retention::layer_inputs || !architecture().has(stack)) continue;
    // Layers differ in size only with a cache, or where some have no experts or sizes of their own.
    const ForeignParts& f = architecture().foreign;
    const int last = f.dense_layers.empty() && f.own.empty() ? 0 : architecture().layers_of(stack) - 1;
    constexpr bool reuses_memory = true;
    for (int layer = 0; layer <= last; ++layer)
      largest_layer =
          std::max(largest_layer,
                   layout_of_layer(*this, layer, graph->layer_steps(stack, layer), reuses_memory).second);
  }
  // If heads share part of their keys, the rest is first computed in scratch memory.
  const Architecture& a = architecture();
  const int n_own =
      a.shared_key_width(AttentionKind::self) > 0 ? a.per_head_key_width(AttentionKind::self, no_layer) : 0;
  const auto per_head_keys = static_cast<std::size_t>(std::max(n_source, n_target)) *
                             static_cast<std::size_t>(a.kv_heads(no_layer)) * static_cast<std::size_t>(n_own);
  return floats() + largest_layer + per_head_keys;
}

PassBuffers::PassBuffers(const PassShape& s, AlignedBuffer block)
    : shape(s), memory(std::move(block)), places(s.architecture().n_layers) {
  Arena arena(memory.data());
  lay_out(shape, arena, places);
}

MatrixView PassBuffers::rows(const StageId& id, const RowRange& range) const {
  const int width = shape.width(id);
  const std::ptrdiff_t first = range.first - shape.stored_rows(id).first;
  return {at(id) + first * width, range.size(), width, width};
}

AttentionBuffers PassBuffers::attention(const HeadId& place, const HeadChain* chain) const {
  return attention_in(shape, place, chain, [this](const StageId& id) { return at(id); });
}

RecomputedLayer::RecomputedLayer(const PassShape& shape, int index, const std::vector<Step>& steps,
                                 bool reuses_memory)
    : layer(index) {
  const auto [stages, floats] = layout_of_layer(shape, layer, steps, reuses_memory);
  memory = AlignedBuffer(floats);
  for (const auto& [id, first] : stages) places.put(id, memory.data() + first);
}

float* RecomputedLayer::at(const PassBuffers& pass, const StageId& id) const {
  const bool is_in_layer = info(id.kind).scope >= StageScope::layer && id.layer == layer;
  float* const own = is_in_layer ? places.at(with_layer(id, 0)) : nullptr;
  return own == nullptr ? pass.at(id) : own;
}

AttentionBuffers RecomputedLayer::attention(const PassBuffers& pass, const HeadId& place,
                                            const HeadChain* chain) const {
  return attention_in(pass.shape, place, chain, [&](const StageId& id) { return at(pass, id); });
}

Retention max_kept(PassShape shape, std::size_t max_floats) {
  for (const Retention kept : {Retention::everything, Retention::no_maps}) {
    shape.kept = kept;
    if (shape.peak_floats() <= max_floats) return kept;
  }
  return Retention::layer_inputs;
}

const CombinedMask& PassMasks::of(const Architecture& architecture, const HeadId& place) const {
  if (place.attention == AttentionKind::cross) return cross;
  const bool is_target = architecture.has_cross() && place.stack == Stack::decoder;
  if (architecture.has_sliding_window(place.layer)) return is_target ? sliding_target : sliding_source;
  return is_target ? target : source;
}

const DistanceBiases* PassMasks::biases_of(const Architecture& architecture, const HeadId& place) const {
  if (!architecture.has_score_biases() || place.attention == AttentionKind::cross) return nullptr;
  const bool is_target = architecture.has_cross() && place.stack == Stack::decoder;
  const std::vector<DistanceBiases>& biases = is_target ? target_biases : source_biases;
  return biases.empty()
             ? nullptr
             : &biases[std::min<std::size_t>(static_cast<std::size_t>(place.layer), biases.size() - 1)];
}

}  // namespace headscope
