#include <algorithm>
#include <array>
#include <map>

#include "core/model/head_pass.h"
#include "core/model/pass.h"

namespace headscope {
namespace {

using enum StageKind;

/// Whether a pass keeps a step of a layer even if the rest of the layer is computed again on demand.
bool outlives_layer(StageKind kind) {
  return kind == layer_input || kind == output || kind == concat || kind == layer_output;
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

/// The stage that a step would only repeat. Empty if it has its own numbers.
std::optional<StageId> repeated_by(const PassShape& shape, const Step& step, const StageId& id) {
  if (id.kind == concat) return in_layer(step.operands.front(), id.layer);
  if (id.kind == layer_input) {
    const bool is_first = id.layer == 0;
    return StageId{is_first ? input : layer_output, id.stack, is_first ? 0 : id.layer - 1};
  }
  if (id.kind == layer_output && shape.kept == Kept::layer_inputs) return std::nullopt;
  if (step.op == Op::mask)
    return shape.attention(id.stack, id.attention, id.layer).mask_changes_scores
               ? std::nullopt
               : std::optional(in_layer(step.operands.front(), id.layer));
  const bool repeats = step.op == Op::copy || (step.op == Op::sum && step.operands.size() == 1);
  if (!repeats || shape.edits_rows) return std::nullopt;
  const int layer = id.kind == stack_output ? shape.architecture().layers_of(id.stack) - 1 : id.layer;
  return in_layer(step.operands.front(), layer);
}

/// Gives each step of a list its place.
void lay_out(const PassShape& shape, const std::vector<Step>& steps, int layer, Carver& carver,
             StagePlaces& places) {
  const Architecture& a = shape.architecture();
  for (const Step& step : steps) {
    const StageId id = in_layer(step.stage, layer);
    const bool is_prediction = id.kind == logits || id.kind == probabilities;
    if (is_prediction && !shape.keeps_predictions) continue;
    // A capture holds the output of the last layer as that of the stack.
    if (step.op == Op::captured && id.kind == layer_output && layer == a.layers_of(id.stack) - 1) continue;
    if (const auto same = repeated_by(shape, step, id)) {
      places.put(id, places.at(*same));
      continue;
    }
    const bool is_in_layer = shape_of(id.kind).scope >= StageScope::layer;
    if (is_in_layer && shape.kept == Kept::layer_inputs && !outlives_layer(id.kind)) continue;
    if (const std::size_t n = floats_of(shape, step, id); n > 0) places.put(id, carver.take(n));
  }
}

void lay_out(const PassShape& shape, Carver& carver, StagePlaces& places) {
  const Architecture& a = shape.architecture();
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    const bool is_computed = shape.kept != Kept::predictions && (!shape.decodes || stack == a.last_stack());
    if (!a.has(stack) || !is_computed) continue;
    const StackSteps& steps = shape.graph->steps(stack);
    lay_out(shape, steps.input, 0, carver, places);
    for (int l = 0; l < a.layers_of(stack); ++l)
      lay_out(shape, shape.graph->layer_steps(stack, l), l, carver, places);
    lay_out(shape, steps.output, 0, carver, places);
  }
  if (shape.vocabulary > 0) lay_out(shape, shape.graph->prediction_steps(), 0, carver, places);
}

/// Memory in which parts that are free again are used for later ones.
class Recycler {
 public:
  std::size_t take(std::size_t n) {
    n = Carver::rounded(n);
    const auto fits = std::ranges::find_if(free_, [n](const auto& part) { return part.second >= n; });
    if (fits == free_.end()) {
      // The last free part can grow if it is at the end.
      const bool grows = !free_.empty() && free_.rbegin()->first + free_.rbegin()->second == size_;
      const std::size_t first = grows ? free_.rbegin()->first : size_;
      if (grows) free_.erase(first);
      size_ = first + n;
      return first;
    }
    const auto [first, size] = *fits;
    free_.erase(fits);
    if (size > n) free_.emplace(first + n, size - n);
    return first;
  }
  void give_back(std::size_t first, std::size_t n) {
    n = Carver::rounded(n);
    const auto after = free_.find(first + n);
    if (after != free_.end()) {
      n += after->second;
      free_.erase(after);
    }
    const auto before = free_.lower_bound(first);
    if (before != free_.begin() && std::prev(before)->first + std::prev(before)->second == first) {
      std::prev(before)->second += n;
    } else {
      free_.emplace(first, n);
    }
  }
  std::size_t size() const { return size_; }

 private:
  std::map<std::size_t, std::size_t> free_;  ///< the size of each part, by where it begins
  std::size_t size_ = 0;
};

/// Where the steps of a layer lie that a pass does not keep.
struct LayerLayout {
  std::vector<std::pair<StageId, std::size_t>> places;
  std::size_t floats = 0;
};

/// The steps of a layer by what they read. A step that only repeats another one is counted as that one.
class ReadSteps {
 public:
  ReadSteps(const PassShape& shape, const std::vector<Step>& steps) {
    index_.fill(none);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StageId& id = steps[i].stage;
      const auto same = repeated_by(shape, steps[i], id);
      const int repeated = same ? of(*same) : none;
      index_[slot(id)] = same ? repeated : static_cast<int>(i);
      last_read_.push_back(i);
      if (repeated != none) last_read_[static_cast<std::size_t>(repeated)] = i;
      for (const StageId& operand : steps[i].operands) {
        if (of(operand) != none) last_read_[static_cast<std::size_t>(of(operand))] = i;
      }
    }
  }

  static constexpr int none = -1;
  /// The step that holds the numbers of a stage, or `none`.
  int of(const StageId& id) const { return index_[slot(id)]; }
  std::size_t last_read(std::size_t step) const { return last_read_[step]; }

 private:
  static std::size_t slot(const StageId& id) {
    return index_of(id.attention) * enum_count<StageKind> + index_of(id.kind);
  }

  std::array<int, 2 * enum_count<StageKind>> index_;
  std::vector<std::size_t> last_read_;
};

/// Lays out a layer that is computed again, in which every step has its own memory, or one that is only
/// passed through, in which a step's memory is free again once the last step that reads it is computed.
LayerLayout layout_of_layer(PassShape shape, int layer, const std::vector<Step>& steps,
                            bool is_passed_through) {
  shape.kept = Kept::no_maps;
  const ReadSteps reads(shape, steps);
  struct Part {
    std::size_t first = 0, size = 0;
    bool is_taken = false;
  };
  std::vector<Part> parts(steps.size());
  LayerLayout layout;
  Recycler memory;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const StageId id = in_layer(step.stage, layer);
    if (is_inside_heads(step.op) || outlives_layer(id.kind)) continue;
    const int owner = reads.of(step.stage);
    if (owner == static_cast<int>(i)) {
      Part& own = parts[i];
      own = {0, floats_of(shape, step, id), true};
      if (own.size == 0) {
        own.is_taken = false;  // A capture has it.
        continue;
      }
      // What is computed number by number may replace what it is computed from.
      const bool by_number = step.op == Op::activate || step.op == Op::multiply || step.op == Op::weigh;
      const int read = by_number && is_passed_through ? reads.of(step.operands.front()) : ReadSteps::none;
      Part* const replaced = read == ReadSteps::none ? nullptr : &parts[static_cast<std::size_t>(read)];
      const bool in_place = replaced != nullptr && replaced->is_taken && replaced->size == own.size &&
                            reads.last_read(static_cast<std::size_t>(read)) == i;
      own.first = in_place ? replaced->first : memory.take(own.size);
      if (in_place) replaced->is_taken = false;
    }
    if (owner != ReadSteps::none && parts[static_cast<std::size_t>(owner)].is_taken)
      layout.places.emplace_back(step.stage, parts[static_cast<std::size_t>(owner)].first);
    for (std::size_t done = 0; is_passed_through && done <= i; ++done) {
      if (!parts[done].is_taken || reads.last_read(done) > i) continue;
      memory.give_back(parts[done].first, parts[done].size);
      parts[done].is_taken = false;
    }
  }
  layout.floats = memory.size();
  return layout;
}

AttentionBuffers attention_in(const PassShape& shape, const HeadId& place, const auto& at) {
  AttentionBuffers buffers;
  buffers.shape = shape.attention(place.stack, place.attention, place.layer);
  const auto part = [&](StageKind kind) {
    return at(stage_in({place.stack, place.attention, place.layer, 0}, kind));
  };
  if (const auto scored = shape.graph->scored(place.stack, place.attention); !scored.empty()) {
    buffers.query = part(scored.front().kind);
    buffers.key = part(scored.back().kind);
  }
  buffers.value = part(value);
  buffers.raw = part(raw);
  buffers.scaled = part(scaled) == nullptr ? buffers.raw : part(scaled);
  buffers.capped = part(capped) == nullptr ? buffers.scaled : part(capped);
  buffers.masked = part(masked);
  buffers.weights = part(weights);
  buffers.dropped = part(dropped) == nullptr ? buffers.weights : part(dropped);
  buffers.state = part(state);
  buffers.concat = part(output);
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
  // A state takes the place of the previous keys.
  if (reads_state) return {before, end};
  return {before > 0 && a.slides(layer) ? n_let_go : 0, end};
}

AttentionShape PassShape::attention(Stack stack, AttentionKind kind, int layer) const {
  const Architecture& a = architecture();
  const bool is_cross = kind == AttentionKind::cross;
  const bool is_target = stack == Stack::decoder && a.has_cross();
  const RowRange own_keys = keys(stack, kind, layer);
  AttentionShape s;
  s.n_queries = n_tokens(stack);
  s.first_query = stack == a.last_stack() ? n_cached : 0;
  s.first_key = own_keys.first;
  s.n_keys = own_keys.size();
  s.d_model = a.d_model;
  s.n_heads = a.n_heads;
  s.n_kv_heads = a.kv_heads();
  s.d_head = a.head_width();
  s.d_value = a.value_width();
  s.output_projection = a.output_projection;
  s.mask_changes_scores = is_cross    ? cross_mask_changes_scores
                          : is_target ? target_mask_changes_scores
                                      : mask_changes_scores;
  if (a.biases_scores() && !is_cross) s.mask_changes_scores = true;
  s.caps = a.softcap > 0.0F;
  s.is_linear = a.linear_attention;
  s.drops = graph->drops();
  s.keeps_maps = kept == Kept::everything && !a.reads_weights() && !(reads_state && !is_cross);
  const bool hides = is_cross ? cross_mask_hides : is_target ? target_mask_hides : mask_hides;
  s.keeps_scores = !hides || !maps_are_large(s) || s.drops;
  return s;
}

RowRange PassShape::stored_rows(const StageId& id) const {
  if (shape_of(id.kind).rows == Axis::key_tokens) return keys(id.stack, id.attention, id.layer);
  const bool is_of_model = shape_of(id.kind).scope == StageScope::model;
  const Stack stack = is_of_model ? architecture().last_stack() : id.stack;
  const int first = stack == architecture().last_stack() ? n_cached : 0;
  return {first, first + n_tokens(stack)};
}

int PassShape::width(const StageId& id) const {
  const Architecture& a = architecture();
  const StageShape& kind = shape_of(id.kind);
  const int own = axis_length({.architecture = a, .n_words = vocabulary}, id, kind.cols);
  if (kind.scope != StageScope::head) return own;
  return own * (kind.of_group ? a.kv_heads() : a.n_heads);
}

std::size_t PassShape::floats() const {
  Carver counter(nullptr);
  StagePlaces places(architecture().n_layers);
  lay_out(*this, counter, places);
  return counter.used();
}

std::size_t PassShape::peak_floats() const {
  std::size_t largest_layer = 0;
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    if (kept != Kept::layer_inputs || !architecture().has(stack)) continue;
    // Layers differ in size only with a cache, or where some have no experts.
    const int last = architecture().foreign.dense_layers.empty() ? 0 : architecture().layers_of(stack) - 1;
    constexpr bool is_passed_through = true;
    for (int layer = 0; layer <= last; ++layer)
      largest_layer =
          std::max(largest_layer,
                   layout_of_layer(*this, layer, graph->layer_steps(stack, layer), is_passed_through).floats);
  }
  // If heads share a part of their keys, the other part is first computed in separate memory.
  const Architecture& a = architecture();
  const int n_own = a.shared_key_width(AttentionKind::self) > 0 ? a.own_key_width(AttentionKind::self) : 0;
  const auto own_keys = static_cast<std::size_t>(std::max(n_source, n_target)) *
                        static_cast<std::size_t>(a.kv_heads()) * static_cast<std::size_t>(n_own);
  return floats() + largest_layer + own_keys;
}

PassBuffers::PassBuffers(const PassShape& s, AlignedBuffer block)
    : shape(s), memory(std::move(block)), places(s.architecture().n_layers) {
  Carver carver(memory.data());
  lay_out(shape, carver, places);
}

MatrixView PassBuffers::rows(const StageId& id, const RowRange& range) const {
  const int width = shape.width(id);
  const std::ptrdiff_t first = range.first - shape.stored_rows(id).first;
  return {at(id) + first * width, range.size(), width, width};
}

AttentionBuffers PassBuffers::attention(const HeadId& place) const {
  return attention_in(shape, place, [this](const StageId& id) { return at(id); });
}

ComputedLayer::ComputedLayer(const PassShape& shape, int layer, const std::vector<Step>& steps,
                             bool is_passed_through) {
  const LayerLayout layout = layout_of_layer(shape, layer, steps, is_passed_through);
  memory = AlignedBuffer(layout.floats);
  for (const auto& [id, first] : layout.places) places.put(id, memory.data() + first);
}

float* ComputedLayer::at(const PassBuffers& pass, const StageId& id) const {
  const bool is_in_layer = shape_of(id.kind).scope >= StageScope::layer;
  float* const own = is_in_layer ? places.at(in_layer(id, 0)) : nullptr;
  return own == nullptr ? pass.at(id) : own;
}

AttentionBuffers ComputedLayer::attention(const PassBuffers& pass, const HeadId& place) const {
  return attention_in(pass.shape, place, [&](const StageId& id) { return at(pass, id); });
}

Kept most_kept(PassShape shape, std::size_t max_floats) {
  for (const Kept kept : {Kept::everything, Kept::no_maps}) {
    shape.kept = kept;
    if (shape.peak_floats() <= max_floats) return kept;
  }
  return Kept::layer_inputs;
}

const CombinedMask& PassMasks::of(const Architecture& architecture, const HeadId& place) const {
  if (place.attention == AttentionKind::cross) return cross;
  const bool is_target = architecture.has_cross() && place.stack == Stack::decoder;
  if (architecture.slides(place.layer)) return is_target ? sliding_target : sliding_source;
  return is_target ? target : source;
}

const DistanceBiases* PassMasks::biases_of(const Architecture& architecture, const HeadId& place) const {
  if (!architecture.biases_scores() || place.attention == AttentionKind::cross) return nullptr;
  const bool is_target = architecture.has_cross() && place.stack == Stack::decoder;
  const std::vector<DistanceBiases>& biases = is_target ? target_biases : source_biases;
  return biases.empty()
             ? nullptr
             : &biases[std::min<std::size_t>(static_cast<std::size_t>(place.layer), biases.size() - 1)];
}

}  // namespace headscope
