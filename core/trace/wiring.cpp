#include "core/trace/wiring.h"

#include <utility>

#include "core/trace/stage_record.h"

namespace headscope {
namespace {

/// Lists the stages of a range of kinds in order. Kinds with a deeper scope repeat once for each instance of
/// the scope.
class StageList {
 public:
  explicit StageList(const Trace& trace) : trace_(trace) {}

  std::vector<StageId> all() {
    append(0, all_stage_kinds().size(), StageScope::model, {});
    return std::move(ids_);
  }

 private:
  void append(std::size_t first, std::size_t last, StageScope level, StageId id) {
    const auto kinds = all_stage_kinds();
    for (std::size_t i = first; i < last;) {
      id.kind = kinds[i].kind;
      if (kinds[i].scope == level) {
        if (canonical(trace_.architecture(), id) == id && trace_.has(id)) ids_.push_back(id);
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < last && kinds[end].scope > level) ++end;
      const auto deeper = static_cast<StageScope>(static_cast<int>(level) + 1);
      for (int instance = 0; instance < count(deeper); ++instance) {
        append(i, end, deeper, at(id, deeper, instance));
      }
      i = end;
    }
  }

  int count(StageScope scope) const {
    const Architecture& a = trace_.architecture();
    constexpr int stacks_or_attentions = 2;
    if (scope == StageScope::layer) return a.n_layers;
    return scope == StageScope::head ? a.n_heads : stacks_or_attentions;
  }

  static StageId at(StageId id, StageScope scope, int instance) {
    if (scope == StageScope::stack) id.stack = static_cast<Stack>(instance);
    if (scope == StageScope::layer) id.layer = instance;
    if (scope == StageScope::attention) id.attention = static_cast<AttentionKind>(instance);
    if (scope == StageScope::head) id.head = instance;
    return id;
  }

  const Trace& trace_;
  std::vector<StageId> ids_;
};

/// The last attention in the layer of a stage.
StageId at_last_attention(const Trace& trace, StageId id) {
  const bool crosses = id.stack == Stack::decoder && trace.architecture().has_cross();
  id.attention = crosses ? AttentionKind::cross : AttentionKind::self;
  return id;
}

}  // namespace

std::vector<StageId> stages_of(const Trace& trace) {
  return StageList(trace).all();
}

std::vector<StageId> computed_from(const Trace& trace, const StageId& id) {
  const StageRecord& record = record_of(id.kind);
  if (record.inputs == nullptr || is_read_from_capture(trace.architecture(), id.kind)) return {};
  std::vector<StageId> inputs = record.inputs(trace, id);
  for (StageId& input : inputs) input = canonical(trace.architecture(), input);
  std::erase_if(inputs, [&trace](const StageId& input) { return !trace.has(input); });
  return inputs;
}

std::vector<StageId> inputs_of(const Trace& trace, const StageId& id) {
  return trace.given(id) == nullptr ? computed_from(trace, id) : std::vector<StageId>{};
}

StageId last_there(const Trace& trace, const StageId& id, std::initializer_list<StageKind> kinds) {
  StageId last = id;
  for (const StageKind kind : kinds) {
    const StageId candidate = at_kind(id, kind);
    if (trace.has(candidate)) last = candidate;
  }
  return last;
}

StageId input_of_layer(StageId id) {
  if (id.layer == 0) return at_kind(id, StageKind::input);
  --id.layer;
  return at_kind(id, StageKind::layer_output);
}

StageId attention_input(const Trace& trace, const StageId& id) {
  if (id.attention == AttentionKind::self || !trace.architecture().has_self())
    return at_kind(id, StageKind::layer_input);
  StageId self = id;
  self.attention = AttentionKind::self;
  return attention_result(trace, self);
}

StageId feed_forward_input(const Trace& trace, const StageId& id) {
  return attention_result(trace, at_last_attention(trace, id));
}

StageId feed_forward_norm_input(const Trace& trace, const StageId& id) {
  return trace.architecture().is_parallel() ? at_kind(id, StageKind::layer_input)
                                            : feed_forward_input(trace, id);
}

StageId queries_from(const Trace& trace, const StageId& id) {
  const StageId normalised = at_kind(id, StageKind::norm);
  return trace.has(normalised) ? normalised : attention_input(trace, id);
}

StageId keys_from(const Trace& trace, const StageId& id) {
  if (id.attention == AttentionKind::cross) {
    return {.kind = StageKind::stack_output, .stack = Stack::encoder};
  }
  return queries_from(trace, id);
}

StageId kv_input(const Trace& trace, const StageId& id) {
  const StageId compressed = at_kind(id, StageKind::normed_latent);
  return trace.has(compressed) ? compressed : keys_from(trace, id);
}

StageId hidden_from(const Trace& trace, const StageId& id) {
  const StageId normalised = at_kind(id, StageKind::feed_forward_norm);
  if (trace.has(normalised)) return normalised;
  if (!trace.architecture().is_parallel()) return feed_forward_input(trace, id);
  StageId first = id;
  first.attention = trace.architecture().has_self() ? AttentionKind::self : AttentionKind::cross;
  return queries_from(trace, first);
}

StageId position_biases_from(const Trace& trace, const StageId& id) {
  return at_kind(id, trace.architecture().has_position_tables_of_stacks() ? StageKind::stack_positions_table
                                                                          : StageKind::positions_table);
}

StageId attention_result(const Trace& trace, const StageId& id) {
  return last_there(trace, at_kind(id, StageKind::projected),
                    {StageKind::output_norm, StageKind::residual, StageKind::normed});
}

StageId layer_result(const Trace& trace, const StageId& id) {
  using enum StageKind;
  const StageId feed_forward = last_there(
      trace, id, {feed_forward_output, feed_forward_output_norm, feed_forward_residual, feed_forward_normed});
  return feed_forward.kind != id.kind ? feed_forward : attention_result(trace, at_last_attention(trace, id));
}

StageId last_layer_output(const Trace& trace, StageId id) {
  const int n_layers = trace.architecture().layers_of(id.stack);
  if (n_layers == 0) return at_kind(id, StageKind::input);
  id.layer = n_layers - 1;
  return at_kind(id, StageKind::layer_output);
}

StageId model_output(const Trace& trace) {
  return {.kind = StageKind::stack_output, .stack = trace.architecture().last_stack()};
}

StageId read_by_output_layer(const Trace& trace) {
  if (trace.architecture().has_output_transform()) return {.kind = StageKind::transform_output};
  return model_output(trace);
}

}  // namespace headscope
