#include "core/model/graph.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "core/enum_count.h"
#include "core/model/graph_builder-inl.h"
#include "core/text/number_text.h"

namespace headscope {

using enum StageKind;

namespace {

std::string stacks_text(Stacks stacks) {
  if (stacks == Stacks::encoder_decoder || stacks == Stacks::cross)
    return "the model has an encoder and a decoder";
  return stacks == Stacks::encoder ? "the model has only an encoder" : "the model has only a decoder";
}

/// The contents of a capture: “attention weights and values”.
std::string contents_of(const CapturedParts& parts) {
  std::vector<std::string> names;
  if (parts.weights) names.emplace_back("attention weights");
  if (parts.projections) names.insert(names.end(), {"queries", "keys"});
  if (parts.values) names.emplace_back("values");
  if (parts.hidden) names.emplace_back("hidden states");
  return names_text(names);
}

/// Which of the nodes that differ between layers a layer has.
std::array<bool, 4> differences_of(const Architecture& a, int layer) {
  const LayerOwn& own = a.own(layer);
  return {a.has_experts(layer), own.values_from_keys, own.keys_of >= 0, own.sparsity > 0.0F};
}

}  // namespace

Graph::Graph(const Architecture& architecture, const AttentionOptions& options, bool has_table)
    : architecture_(architecture) {
  const auto& captured = architecture_.foreign.captured;
  if (captured) capture_reason_ = "the capture holds only " + contents_of(*captured);
  std::vector<std::array<bool, 4>> known;
  for (int layer = 0; layer == 0 || layer < architecture_.n_layers; ++layer) {
    const auto own = differences_of(architecture_, layer);
    const auto found = std::ranges::find(known, own);
    kinds_.push_back(static_cast<std::size_t>(found - known.begin()));
    if (found != known.end()) continue;
    known.push_back(own);
    std::vector<Node>& nodes = nodes_.emplace_back(2 * 2 * enum_count<StageKind>);
    GraphBuilder builder(nodes, architecture_, options, has_table, layer);
    builder.build();
    if (captured) builder.restrict_to_capture(*captured, capture_reason_);
  }
  make_steps();
}

const Step* HeadChain::step(Op op) const {
  const auto found = std::ranges::find(steps, op, &Step::op);
  return found == steps.end() ? nullptr : *found;
}

const HeadChain* Graph::chain_of(const StageId& id) const {
  for (const HeadChain& chain : chains(id.stack, id.attention))
    for (const Step* const step : chain.steps)
      if (step->stage.kind == id.kind) return &chain;
  return nullptr;
}

Step Graph::step_of(const StageId& id) const {
  Step step{with_layer(id, 0), node(id).op, {}, {}};
  for (const StageId& input : node(id).inputs) {
    if (!node(with_layer(input, id.layer)).is_present()) continue;
    (info(input.kind).is_parameter() ? step.parameters : step.operands).push_back(input);
  }
  // A step that does the work of stages on demand reads their inputs.
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    const Node operand = node(with_layer(step.operands[i], id.layer));
    if (!traits_of(operand.op).is_on_demand) continue;
    std::ranges::copy_if(operand.inputs, std::back_inserter(step.operands), [&](const StageId& input) {
      return node(with_layer(input, id.layer)).is_present() && !info(input.kind).is_parameter();
    });
  }
  return step;
}

void Graph::add_step(const StageId& id, std::vector<Step>& steps) {
  // A capture may lack the output of the last layer, but the step is that of all layers.
  const bool is_at_end = id.kind == layer_output && id.layer == architecture_.layers_of(id.stack) - 1;
  if (!node(id).is_present() || (!is_at_end && !has(id))) return;
  drops_ = drops_ || op(id) == Op::drop;
  if (op(id) != Op::parameter && !traits_of(op(id)).is_on_demand) steps.push_back(step_of(id));
}

std::vector<Step> Graph::make_layer_steps(Stack stack, int layer) {
  std::vector<Step> steps;
  const std::span<const StageInfo> kinds = all_stage_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    StageId id{kinds[i].kind, stack, layer};
    if (kinds[i].scope == StageScope::layer) add_step(id, steps);
    if (kinds[i].scope < StageScope::attention) continue;
    // The kinds of an attention are contiguous; repeat them for self- and cross-attention.
    std::size_t end = i;
    while (kinds[end].scope >= StageScope::attention) ++end;
    for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
      id.attention = attention;
      if (!architecture_.has(stack, attention)) continue;
      for (std::size_t each = i; each < end; ++each) {
        id.kind = kinds[each].kind;
        add_step(id, steps);
      }
    }
    i = end - 1;
  }
  return steps;
}

namespace {

/// The chains among the steps of a layer.
std::array<std::vector<HeadChain>, 2> chains_of(const std::vector<Step>& steps) {
  std::array<std::vector<HeadChain>, 2> chains;
  for (const Step& step : steps) {
    std::vector<HeadChain>& own = chains[index_of(step.stage.attention)];
    const bool is_weights = step.stage.kind == weights;
    if (step.op == Op::scores || (step.op == Op::captured && is_weights)) {
      own.push_back({{&step}, is_weights});
    } else if (step.op == Op::average || traits_of(step.op).is_inside_heads) {
      for (HeadChain& chain : own) {
        if (chain.steps.back()->stage != step.operands.front()) continue;
        chain.steps.push_back(&step);
        chain.is_main = chain.is_main || is_weights;
      }
    }
  }
  return chains;
}

}  // namespace

void Graph::make_steps() {
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    StackSteps& target = steps_[stack == Stack::decoder ? 1 : 0];
    bool is_input = true;
    if (!architecture_.has(stack)) continue;
    for (const StageInfo& each : all_stage_kinds()) {
      is_input = is_input && each.scope <= StageScope::stack;
      if (each.scope == StageScope::stack)
        add_step({each.kind, stack}, is_input ? target.input : target.output);
    }
    target.layers.resize(nodes_.size());
    for (int layer = std::max(architecture_.layers_of(stack), 1) - 1; layer >= 0; --layer)
      target.layers[kind_of(layer)] = make_layer_steps(stack, layer);
    target.chains = chains_of(target.layers.front());
  }
  for (const StageInfo& each : all_stage_kinds())
    if (each.scope == StageScope::model) add_step({.kind = each.kind}, prediction_steps_);
}

std::size_t Graph::index(const StageId& id) {
  const auto stack = static_cast<std::size_t>(id.stack);
  const auto attention = static_cast<std::size_t>(id.attention);
  return (2 * stack + attention) * enum_count<StageKind> + static_cast<std::size_t>(id.kind);
}

std::string Graph::why_invalid(const StageId& id) const {
  const Architecture& a = architecture_;
  if (id.head < 0 || id.head >= a.n_heads)
    return "the model has " + count_text(a.n_heads, "head") + ", counted from 0";
  if (id.layer < 0 || id.layer >= a.n_layers)
    return "the model has " + count_text(a.n_layers, "layer") + ", counted from 0";
  const StageScope scope = info(id.kind).scope;
  if (scope >= StageScope::stack && !a.has(id.stack)) return stacks_text(a.stacks);
  const int n_layers = a.layers_of(id.stack);
  if (scope >= StageScope::layer && n_layers > 0 && id.layer >= n_layers)
    return "this stack has " + count_text(n_layers, "layer") + ", counted from 0";
  if (scope >= StageScope::attention && !a.has(id.stack, id.attention)) {
    return id.attention == AttentionKind::cross ? "only a decoder with an encoder has cross-attention"
                                                : "the model has only cross-attention";
  }
  if (scope >= StageScope::layer && a.layers_of(id.stack) == 0)
    return "a model of cross-attention alone has an encoder without layers";
  if (id != normalized(id)) return "where a stage has no head, layer or attention, its index must be 0";
  const bool is_norm_parameter = id.kind == norm_gain || id.kind == norm_bias;
  if (is_norm_parameter && a.has_sublayer_norm() && skips_norm(with_kind(id, norm)))
    return "the first layer reads the embeddings, which are normalised already";
  // The captured output of the last layer may already be normalised, so it is known only as the stack's
  // output.
  const bool is_end = id.kind == layer_output && id.layer == a.layers_of(id.stack) - 1;
  return is_end && a.foreign.captured ? capture_reason_ : std::string();
}

std::string Graph::why_absent(const StageId& id) const {
  std::string problem = why_invalid(id);
  return problem.empty() ? std::string(node(id).reason) : problem;
}

std::vector<StageId> Graph::inputs(const StageId& id) const {
  if (!has(id)) return {};
  const Node& target = node(id);
  std::vector<StageId> inputs;
  const auto add_input = [&](StageId input) {
    input = canonical(architecture_, normalized(input));
    if (has(input) && std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(input);
  };
  for (StageId input : target.inputs) {
    input.layer = id.layer;
    input.head = id.head;
    if (target.instance == Instance::layer_before && id.layer > 0)
      input = {.kind = before(id.kind), .stack = id.stack, .layer = id.layer - 1};
    if (target.instance == Instance::keys_layer) input.layer = architecture_.own(id.layer).keys_of;
    if (target.instance == Instance::last_layer) input.layer = architecture_.layers_of(id.stack) - 1;
    const int n = target.instance == Instance::every_head ? architecture_.n_heads : 1;
    for (int head = 0; head < n; ++head) {
      if (target.instance == Instance::every_head) input.head = head;
      add_input(input);
    }
  }
  return inputs;
}

std::vector<StageId> Graph::users(const StageId& id) const {
  std::vector<StageId> users;
  const StageId target = canonical(architecture_, normalized(id));
  const bool is_of_model = info(id.kind).scope == StageScope::model;
  const Stack stack = is_of_model && !architecture_.has(id.stack) ? architecture_.first_stack() : id.stack;
  for (const StageInfo& each : all_stage_kinds()) {
    const StageId user = normalized({each.kind, stack, id.layer, id.attention, id.head});
    const bool may_use =
        std::ranges::find(node(user).inputs, id.kind, &StageId::kind) != node(user).inputs.end();
    if (may_use && std::ranges::count(inputs(user), target) > 0) users.push_back(user);
  }
  return users;
}

bool Graph::depends_on(const StageId& id, const StageId& from) const {
  const StageId target = canonical(architecture_, normalized(from));
  return std::ranges::any_of(inputs(id), [&](const StageId& input) {
    const bool is_inside = info(input.kind).scope >= StageScope::layer && input.layer == id.layer;
    return input == target || (is_inside && depends_on(input, target));
  });
}

std::vector<StageId> Graph::stages() const {
  const std::span<const StageInfo> kinds = all_stage_kinds();
  std::vector<StageId> ids;
  // Appends the kinds [first, last) of a scope, repeating those of a deeper scope for each instance of it.
  const auto append = [&](const auto& self, std::size_t first, std::size_t last, StageScope level,
                          StageId id) -> void {
    for (std::size_t i = first; i < last;) {
      id.kind = kinds[i].kind;
      if (kinds[i].scope == level) {
        if (canonical(architecture_, id) == id && has(id)) ids.push_back(id);
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < last && kinds[end].scope > level) ++end;
      const auto deeper = static_cast<StageScope>(static_cast<int>(level) + 1);
      const int n = deeper == StageScope::layer  ? architecture_.n_layers
                    : deeper == StageScope::head ? architecture_.n_heads
                                                 : 2;
      for (int index = 0; index < n; ++index) {
        StageId at = id;
        if (deeper == StageScope::stack) at.stack = static_cast<Stack>(index);
        if (deeper == StageScope::layer) at.layer = index;
        if (deeper == StageScope::attention) at.attention = static_cast<AttentionKind>(index);
        if (deeper == StageScope::head) at.head = index;
        self(self, i, end, deeper, at);
      }
      i = end;
    }
  };
  append(append, 0, kinds.size(), StageScope::model, {});
  return ids;
}

StageId with_kind(StageId id, StageKind kind) {
  id.kind = kind;
  return normalized(id);
}

}  // namespace headscope
