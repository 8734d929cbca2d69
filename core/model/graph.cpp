#include "core/model/graph.h"

#include <algorithm>
#include <utility>

#include "core/enum_count.h"
#include "core/text/number_text.h"

namespace headscope {

using enum StageKind;

namespace {

/// Whether a model has a part, and what is said if it has not.
struct Condition {
  bool holds = true;
  std::string_view otherwise;
};

/// Both conditions; what is said is why the first of them fails.
Condition both(const Condition& first, const Condition& second) {
  return first.holds ? second : first;
}

constexpr std::string_view no_bias = "this linear layer has no bias";
constexpr std::string_view no_norm_bias = "RMS norm has no bias";
constexpr std::string_view shared_norm = "the feed-forward layer reads the output of attention's norm";

std::string stacks_text(Stacks stacks) {
  if (stacks == Stacks::encoder_decoder || stacks == Stacks::cross)
    return "the model has an encoder and a decoder";
  return stacks == Stacks::encoder ? "the model has only an encoder" : "the model has only a decoder";
}

/// What a capture holds: “attention weights and values”.
std::string contents_of(const CapturedParts& parts) {
  std::vector<std::string> names;
  if (parts.weights) names.emplace_back("attention weights");
  if (parts.projections) names.insert(names.end(), {"queries", "keys"});
  if (parts.values) names.emplace_back("values");
  if (parts.hidden) names.emplace_back("hidden states");
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

/// Whether the numbers of stages of this kind are read from a capture.
bool is_read(const CapturedParts& parts, StageKind kind) {
  switch (kind) {
    case query:
    case key:
      return parts.projections;
    case value:
      return parts.values;
    case weights:
      return parts.weights;
    case input:
    case layer_input:
    case layer_output:
    case stack_output:
      return parts.hidden;
    default:
      return false;
  }
}

/// Whether they are computed from what is read.
bool follows_from_capture(const CapturedParts& parts, StageKind kind) {
  switch (kind) {
    // Captured weights need not be the softmax of the queries and keys captured with them.
    case raw:
    case scaled:
    case masked:
      return parts.projections && !parts.weights;
    case weights:
      return parts.projections;
    case output:
    case concat:
      return parts.values;
    default:
      return false;
  }
}

}  // namespace

/// Writes the nodes of a model, from the words to the predictions. Each function returns the stage that the
/// next part reads. In place of a stage that the model lacks, the next part reads that stage's first input.
class GraphBuilder {
 public:
  GraphBuilder(std::vector<Graph::Node>& nodes, const Architecture& a, const AttentionOptions& options,
               bool has_table)
      : nodes_(nodes), a_(a), options_(options), has_table_(has_table) {}

  void write() {
    StageId end;
    for (const Stack which : {Stack::encoder, Stack::decoder}) {
      at_ = {.stack = which};
      if (a_.has(which)) end = stack(end);
    }
    predictions(end);
  }

  /// Makes leaves of what a capture holds, and takes away what cannot be computed from it. `reason` says why.
  void keep_captured(const CapturedParts& parts, std::string_view reason) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Graph::Node& node = nodes_[i];
      const auto kind = static_cast<StageKind>(i % enum_count<StageKind>);
      if (!node.reason.empty()) continue;
      if (is_read(parts, kind)) {
        node.op = Op::captured;
        node.inputs.clear();
      } else if (!follows_from_capture(parts, kind)) {
        node.reason = reason;
      }
    }
  }

 private:
  /// The layers of a stack over the sum of its embeddings. `memory` is the output of the encoder.
  StageId stack(const StageId& memory) {
    StageId x = embeddings();
    const int n_layers = a_.layers_of(at_.stack);
    if (n_layers > 0) x = layer(x, memory);
    const Condition ends_normed{a_.has_final_norm(at_.stack), "there is no norm after the last layer"};
    const StageId gain = parameter(final_norm_gain, ends_normed);
    const StageId bias = parameter(final_norm_bias, both(ends_normed, adds_norm_bias()));
    return add(stack_output, ends_normed.holds ? Op::norm : Op::copy, {x, gain, bias}, {},
               Graph::Instance::last_layer);
  }

  StageId embeddings() {
    const Condition is_table{
        has_table_, "each word's row is drawn from the word itself; only the seed1 tokenizer has a table"};
    const Condition has_segments{a_.foreign.segments > 0, "the model has no segments"};
    const Condition adds{a_.adds_positions(), a_.positions == Positions::none
                                                  ? "positions are off"
                                                  : "these positions are not added to the embeddings"};
    add(embedding, Op::lookup, {parameter(embedding_table, is_table)});
    write_position_tables();
    add(positions, Op::lookup, {row_table_of(a_, at_.stack)}, adds);
    add(segments, Op::lookup, {parameter(segments_table, has_segments)}, has_segments);
    const std::vector<StageId> parts{at(embedding), at(positions), at(segments)};

    const Condition is_prepared{a_.prepares_input(), "the sum of the embeddings is the input itself"};
    const Condition is_normed{a_.foreign.embedding_norm, "embeddings are not normalised"};
    const Condition is_projected{a_.projects_embedding(), "embeddings are already as wide as the model"};
    StageId x = add(embedding_sum, Op::sum, parts, is_prepared);
    x = add(embedding_sum_normed, Op::norm,
            {x, parameter(embedding_norm_gain, is_normed),
             parameter(embedding_norm_bias, both(is_normed, is_layer_norm()))},
            is_normed);
    const StageId w = parameter(w_embedding, is_projected);
    const StageId b = parameter(b_embedding, is_projected);
    if (!is_prepared.holds) return add(input, Op::sum, parts);
    return add(input, is_projected.holds ? Op::linear : Op::copy, {x, w, b});
  }

  StageId layer(const StageId& below, const StageId& memory) {
    const StageId begin = add(layer_input, Op::copy, {below}, {}, Graph::Instance::layer_before);
    StageId x = begin;
    at_.attention = a_.has_self() ? AttentionKind::self : AttentionKind::cross;
    const StageId first_read = a_.norms_inputs() ? at(norm) : begin;
    for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
      if (!a_.has(at_.stack, kind)) continue;
      at_.attention = kind;
      x = attention(x, memory);
    }
    at_.attention = AttentionKind::self;
    x = feed_forward(begin, first_read, x);
    return add(layer_output, Op::copy, {x});
  }

  /// Multi-head attention of the rows `x`, with what is around it. Keys and values are made from the same
  /// rows, or from `memory` in cross-attention.
  StageId attention(const StageId& x, const StageId& memory) {
    const Condition has_own{a_.norms_sublayers(),
                            "there is no norm before the sublayers or after their sums"};
    const StageId gain = parameter(norm_gain, has_own);
    const StageId bias = parameter(norm_bias, both(has_own, is_layer_norm()));
    const StageId read = add(norm, Op::norm, {x, gain, bias}, normed_before());
    const StageId joined = heads(read, at_.attention == AttentionKind::cross ? memory : read);

    StageId y = add(projected, a_.output_projection ? Op::linear : Op::copy,
                    {joined, parameter(w_output, projects()),
                     parameter(b_output, both(projects(), {a_.bias.output, no_bias}))});
    const Condition normed_after = is_output_normed();
    y = add(output_norm, Op::norm,
            {y, parameter(output_norm_gain, normed_after),
             parameter(output_norm_bias, both(normed_after, adds_norm_bias()))},
            normed_after);
    y = add_residual(residual, x, y, {a_.residual, "there are no residual connections"});
    return add(normed, Op::norm, {y, gain, bias},
               {a_.norm == Norm::post, "there is no norm after the sublayers"});
  }

  /// The heads of an attention, from queries, keys and values to their outputs side by side.
  StageId heads(const StageId& read, const StageId& asked) {
    const bool is_self = at_.attention == AttentionKind::self;
    const Condition compresses{a_.kv_latent.has_value(), "keys and values are not made from a latent"};
    const Condition shares{
        a_.shared_key_width(at_.attention) > 0,
        "heads share no key: this requires a latent of keys and values and rotary positions"};
    StageId c = add(latent, Op::linear, {asked, parameter(w_latent, compresses)}, compresses);
    c = add(normed_latent, Op::head_norm, {c, parameter(latent_norm_gain, compresses)}, compresses);
    add(shared_key, Op::linear, {asked, parameter(w_shared_key, shares)}, shares);

    const Condition narrows{a_.foreign.query_latent.has_value(), "queries are not made from a latent"};
    StageId from = add(query_latent, Op::linear, {read, parameter(w_query_latent, narrows)}, narrows);
    from =
        add(normed_query_latent, Op::head_norm, {from, parameter(query_latent_norm_gain, narrows)}, narrows);
    StageId q =
        add(query, Op::linear, {from, parameter(w_query), parameter(b_query, {a_.bias.query, no_bias})});
    StageId k =
        add(key, Op::linear, {at(shared_key), c, parameter(w_key), parameter(b_key, {a_.bias.key, no_bias})});
    const StageId v =
        add(value, Op::linear, {c, parameter(w_value), parameter(b_value, {a_.bias.value, no_bias})});

    const Condition is_normed{a_.qk_norm, "queries and keys are not normalised"};
    const Graph::Instance normed_heads =
        a_.foreign.head_norm == HeadNorm::rms_of_all ? Graph::Instance::every_head : Graph::Instance::same;
    q = add(normed_query, Op::head_norm, {q, parameter(query_norm_gain, is_normed)}, is_normed, normed_heads);
    k = add(normed_key, Op::head_norm, {k, parameter(key_norm_gain, is_normed)}, is_normed, normed_heads);
    const Condition turns{a_.rotates() && is_self, "positions are not rotary here"};
    q = add(rotated_query, Op::rotate, {q}, turns);
    k = add(rotated_key, Op::rotate, {k}, turns);
    const Condition is_linear{a_.linear_attention, "attention uses softmax and is not linear"};
    q = add(mapped_query, Op::feature_map, {q}, is_linear);
    k = add(mapped_key, Op::feature_map, {k}, is_linear);

    StageId s = add(raw, Op::scores, {q, k});
    s = add(
        scaled, Op::scale, {s},
        {!a_.linear_attention, "linear attention divides scores by their sum, so a scale would cancel out"});
    s = add(capped, Op::cap, {s}, {a_.softcap > 0.0F, "scores are not capped"});
    parameter(layer_biases_table, {a_.has_bias_tables_of_layers() && is_self,
                                   "this attention has no table of relative positions of its own"});
    add(position_bias, Op::distance_bias, {bias_table_of(a_, at_.stack, 0)},
        {a_.biases_scores() && is_self, "positions add no bias to the scores here"});
    s = add(masked, Op::mask, {s, at(position_bias)});

    constexpr std::string_view no_sinks =
        "there are no sinks: the heads have none, or softmax runs over queries";
    const StageId sink_score = parameter(sink, {a_.sinks, no_sinks});
    StageId w = add(weights, Op::softmax, {s, sink_score});
    add(sink_share, Op::sink_share, {s, sink_score},
        {a_.sinks && options_.softmax == SoftmaxAxis::keys, no_sinks});
    w = add(dropped, Op::drop, {w}, {options_.drops(), "dropout applies only in training"});
    add(effective_weights, Op::effective, {w, v, at(w_output)},
        both(projects(), {!a_.output_gate, "the gate weighs the same value differently for each query"}));
    add(state, Op::state, {k, v}, is_linear);
    add(state_sum, Op::state_sum, {k}, is_linear);
    const StageId o = add(output, Op::average, {w, v});

    const Condition gates{a_.output_gate, "heads' outputs have no gate"};
    const StageId all = add(concat, Op::concat, {o}, {}, Graph::Instance::every_head);
    add(head_gate, Op::gate, {read, parameter(w_gate, gates)}, gates);
    const StageId joined = add(gated_heads, Op::multiply, {all, at(head_gate)}, gates);
    add(contribution, Op::contribution, {gates.holds ? joined : o, at(w_output)}, projects());
    return joined;
  }

  /// The feed-forward layer over the rows `x`. In a parallel block it reads the layer's input `begin`, or
  /// what the first attention reads.
  StageId feed_forward(const StageId& begin, const StageId& first_read, const StageId& x) {
    const Condition is_there{a_.d_ff > 0, "there is no feed-forward layer"};
    const Condition is_gated = both(is_there, {a_.gated, "the feed-forward layer is not gated"});
    const Condition is_biased{a_.bias.feed_forward, no_bias};
    const Condition has_own{a_.feed_forward_has_norm(), shared_norm};
    const Condition has_norms =
        both({a_.norms_sublayers() && a_.d_ff > 0, "there is no norm around a feed-forward layer"}, has_own);
    const Condition reads_normed =
        both({a_.norms_inputs() && a_.d_ff > 0, "there is no norm before a feed-forward layer"}, has_own);
    const StageId gain = parameter(feed_forward_norm_gain, has_norms);
    const StageId bias = parameter(feed_forward_norm_bias, both(has_norms, adds_norm_bias()));
    add(feed_forward_norm, Op::norm, {a_.is_parallel() ? begin : x, gain, bias}, reads_normed);
    const StageId read = reads_normed.holds ? at(feed_forward_norm) : a_.is_parallel() ? first_read : x;

    const bool routes = experts(read).holds;
    const Op op = routes ? Op::expert_linear : Op::linear;
    const auto layer_of = [&](StageKind kind, StageKind w, StageKind b, const Condition& condition) {
      std::vector<StageId> inputs{read, parameter(w, condition), parameter(b, both(condition, is_biased))};
      if (routes) inputs.insert(inputs.begin(), at(expert_shares));
      return add(kind, op, std::move(inputs), condition);
    };
    StageId h = layer_of(hidden, w_1, b_1, is_there);
    const bool has_limit = a_.foreign.gate_limit > 0.0F;
    h = add(activated, has_limit ? Op::limited_gate : Op::activate, {h}, is_there);
    const StageId u = layer_of(up, w_up, b_up, is_gated);
    add(up_shifted, Op::limited_shift, {u}, both(is_gated, {has_limit, "the gate multiplies U itself"}));
    h = add(feed_forward_gated, Op::multiply, {h, has_limit ? at(up_shifted) : u}, is_gated);
    h = add(expert_weighted, Op::weigh, {h, at(expert_shares)}, has_experts());
    const Condition ends_biased = both(is_there, is_biased);
    std::vector<StageId> summed{h, parameter(w_2, is_there),
                                parameter(b_2, both(ends_biased, {!routes, "each expert has its own bias"})),
                                parameter(expert_biases, both(ends_biased, has_experts()))};
    if (routes) summed.insert(summed.begin(), at(expert_shares));
    StageId z = add(feed_forward_output, routes ? Op::expert_sum : Op::linear, std::move(summed), is_there);
    const Condition normed_after = both(is_there, is_output_normed());
    z = add(feed_forward_output_norm, Op::norm,
            {z, parameter(feed_forward_output_norm_gain, normed_after),
             parameter(feed_forward_output_norm_bias, both(normed_after, adds_norm_bias()))},
            normed_after);
    z = add_residual(feed_forward_residual, x, z,
                     {a_.residual && a_.d_ff > 0, "no feed-forward layer has a residual connection"});
    z = add(feed_forward_normed, Op::norm, {z, gain, bias},
            {a_.norm == Norm::post && a_.d_ff > 0, "there is no norm after a feed-forward layer"});
    return is_there.holds ? z : x;
  }

  Condition has_experts() const {
    return {a_.foreign.experts && a_.d_ff > 0, "all tokens go through the same feed-forward layer"};
  }
  /// How much each token takes of each expert of the feed-forward layer, from what that reads.
  Condition experts(const StageId& read) {
    const Condition routes = has_experts();
    const Condition shares = both(routes, {routes.holds && a_.foreign.experts->shared_width > 0,
                                           "there is no expert that every token takes"});
    const Condition gates = both(shares, {shares.holds && a_.foreign.experts->gates_shared,
                                          "the expert that every token takes counts in full"});
    const Condition corrects = both(
        routes, {routes.holds && a_.foreign.experts->corrects, "the choice of experts is not corrected"});
    const Condition is_biased = both(routes, {a_.bias.feed_forward, no_bias});
    const StageId scores = add(router_logits, Op::linear,
                               {read, parameter(w_router, routes), parameter(b_router, is_biased)}, routes);
    add(shared_gate, Op::gate, {read, parameter(w_shared_gate, gates)}, gates);
    add(expert_shares, Op::route, {scores, at(shared_gate), parameter(router_correction, corrects)}, routes);
    return routes;
  }

  /// The final linear layer over the last stack's output `x`.
  void predictions(const StageId& x) {
    const Condition predicts{a_.output_layer != OutputLayer::none, "there is no final linear layer"};
    const Condition transforms = both(
        predicts,
        {a_.has_output_transform(), "the final linear layer reads the output of the last layer directly"});
    StageId t = add(transform_hidden, Op::linear,
                    {x, parameter(w_transform, transforms), parameter(b_transform, transforms)}, transforms);
    t = add(transform_activated, Op::activate, {t}, transforms);
    t = add(transform_output, Op::norm,
            {t, parameter(transform_norm_gain, transforms),
             parameter(transform_norm_bias, both(transforms, is_layer_norm()))},
            transforms);
    const Condition is_biased{a_.output_bias, "the final linear layer has no bias"};
    t = add(logits, Op::linear,
            {t, parameter(w_logits, predicts), parameter(b_logits, both(predicts, is_biased))}, predicts);
    add(probabilities, Op::word_softmax, {t}, predicts);
  }

  /// The table of positions that all stacks share, and that of this stack alone.
  void write_position_tables() {
    const bool is_own = a_.has_bias_tables_of_stacks();
    parameter(
        positions_table,
        {a_.has_position_table(),
         is_own
             ? "the encoder and the decoder each have a table of relative positions: encoder.positions.biases and decoder.positions.biases"
         : a_.has_position_rows_of_stacks()
             ? "the encoder and the decoder each have a table: encoder.positions.rows and decoder.positions.rows"
         : a_.has_bias_tables_of_layers() ? "each layer has a table of its own"
                                          : "these positions have no table"});
    parameter(stack_positions_table,
              {is_own, "only an encoder and a decoder with relative positions have a table each"});
    parameter(stack_position_rows, {a_.has_position_rows_of_stacks(),
                                    "the stacks have no tables of learned positions of their own"});
  }

  Condition is_layer_norm() const { return {a_.norm_kind == NormKind::layer, no_norm_bias}; }
  Condition has_norms() const { return {a_.norm != Norm::none, "there are no norms"}; }
  Condition adds_norm_bias() const { return both(has_norms(), is_layer_norm()); }
  Condition projects() const { return {a_.output_projection, "the output projection is off"}; }
  Condition normed_before() const { return {a_.norms_inputs(), "there is no norm before the sublayers"}; }
  Condition is_output_normed() const {
    return {a_.norms_outputs(), "the sublayers' outputs are not normalised before they are added"};
  }

  StageId at(StageKind kind) const { return at_kind(at_, kind); }

  StageId add(StageKind kind, Op op, std::vector<StageId> inputs, const Condition& condition = {},
              Graph::Instance instance = Graph::Instance::same) {
    const StageId own = at(kind);
    if (!condition.holds) {
      mark_absent(kind, condition);
      return inputs.front();
    }
    nodes_[Graph::index(own)] = {op, instance, std::move(inputs), {}};
    return own;
  }
  /// The sum of what enters a sublayer and what leaves it; only what leaves it if the model does not add
  /// them.
  StageId add_residual(StageKind kind, const StageId& entering, const StageId& leaving,
                       const Condition& condition) {
    add(kind, Op::sum, {entering, leaving}, condition);
    return condition.holds ? at(kind) : leaving;
  }
  StageId parameter(StageKind kind, const Condition& condition = {}) {
    if (condition.holds) {
      add(kind, Op::parameter, {});
    } else {
      mark_absent(kind, condition);
    }
    return at(kind);
  }
  void mark_absent(StageKind kind, const Condition& condition) {
    nodes_[Graph::index(at(kind))].reason = condition.otherwise;
  }

  std::vector<Graph::Node>& nodes_;
  const Architecture& a_;
  const AttentionOptions& options_;
  bool has_table_;
  StageId at_;  ///< where the stages that are being written are
};

Graph::Graph(const Architecture& architecture, const AttentionOptions& options, bool has_table)
    : architecture_(architecture), nodes_(2 * 2 * enum_count<StageKind>) {
  GraphBuilder builder(nodes_, architecture_, options, has_table);
  builder.write();
  if (const auto& captured = architecture_.foreign.captured) {
    capture_ = "the capture holds only " + contents_of(*captured);
    builder.keep_captured(*captured, capture_);
  }
  if (architecture_.foreign.experts && !architecture_.foreign.dense_layers.empty()) {
    Architecture dense = architecture_;
    dense.foreign.experts.reset();
    std::vector<Node> nodes(nodes_.size());
    GraphBuilder(nodes, dense, options, has_table).write();
    dense_nodes_ = std::move(nodes);
  }
  list_steps();
}

bool is_inside_heads(Op op) {
  constexpr std::array inside{Op::scores, Op::scale, Op::cap, Op::mask, Op::softmax, Op::drop};
  return std::ranges::find(inside, op) != inside.end();
}

bool is_on_demand(Op op) {
  constexpr std::array on_demand{Op::sink_share,   Op::effective, Op::distance_bias,
                                 Op::contribution, Op::state,     Op::state_sum};
  return std::ranges::find(on_demand, op) != on_demand.end();
}

std::vector<StageId> Graph::scored(Stack stack, AttentionKind attention) const {
  for (const Step& step : steps(stack).layer)
    if (step.op == Op::scores && step.stage.attention == attention) return step.operands;
  return {};
}

Step Graph::step_of(const StageId& id) const {
  Step step{in_layer(id, 0), node(id).op, {}, {}};
  for (const StageId& input : node(id).inputs) {
    if (!node(in_layer(input, id.layer)).reason.empty()) continue;
    (shape_of(input.kind).is_parameter() ? step.parameters : step.operands).push_back(input);
  }
  return step;
}

void Graph::add_step(const StageId& id, std::vector<Step>& steps) {
  const bool is_at_end = id.kind == layer_output && id.layer == architecture_.layers_of(id.stack) - 1;
  if (!node(id).reason.empty() || (!is_at_end && !has(id))) return;
  drops_ = drops_ || op(id) == Op::drop;
  if (op(id) != Op::parameter && !is_on_demand(op(id))) steps.push_back(step_of(id));
}

std::vector<Step> Graph::steps_like(Stack stack, int layer) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < stage_shapes.size(); ++i) {
    StageId id{stage_shapes[i].kind, stack, layer};
    if (stage_shapes[i].scope == StageScope::layer) add_step(id, steps);
    if (stage_shapes[i].scope < StageScope::attention) continue;
    // The kinds of an attention follow one another and are repeated for each.
    std::size_t end = i;
    while (stage_shapes[end].scope >= StageScope::attention) ++end;
    for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
      id.attention = attention;
      if (!architecture_.has(stack, attention)) continue;
      for (std::size_t each = i; each < end; ++each) {
        id.kind = stage_shapes[each].kind;
        add_step(id, steps);
      }
    }
    i = end - 1;
  }
  return steps;
}

void Graph::list_steps() {
  const auto first = [&](Stack stack, bool with_experts) {
    const int n_layers = architecture_.layers_of(stack);
    int layer = 0;
    while (layer < n_layers && architecture_.has_experts(layer) != with_experts) ++layer;
    return layer < n_layers ? layer : 0;
  };
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    StackSteps& own = steps_[stack == Stack::decoder ? 1 : 0];
    bool is_before = true;
    for (std::size_t i = 0; i < stage_shapes.size() && architecture_.has(stack); ++i) {
      is_before = is_before && stage_shapes[i].scope <= StageScope::stack;
      if (stage_shapes[i].scope == StageScope::stack)
        add_step({stage_shapes[i].kind, stack}, is_before ? own.input : own.output);
    }
    if (!architecture_.has(stack)) continue;
    own.layer = steps_like(stack, dense_nodes_.empty() ? 0 : first(stack, true));
    if (!dense_nodes_.empty()) own.dense_layer = steps_like(stack, first(stack, false));
  }
  for (const StageShape& shape : stage_shapes)
    if (shape.scope == StageScope::model) add_step({.kind = shape.kind}, prediction_steps_);
}

std::size_t Graph::index(const StageId& id) {
  const auto stack = static_cast<std::size_t>(id.stack);
  const auto attention = static_cast<std::size_t>(id.attention);
  return (2 * stack + attention) * enum_count<StageKind> + static_cast<std::size_t>(id.kind);
}

std::string Graph::place_problem(const StageId& id) const {
  const Architecture& a = architecture_;
  if (id.head < 0 || id.head >= a.n_heads)
    return "the model has " + counted(a.n_heads, "head") + ", counted from 0";
  if (id.layer < 0 || id.layer >= a.n_layers)
    return "the model has " + counted(a.n_layers, "layer") + ", counted from 0";
  const StageScope scope = shape_of(id.kind).scope;
  if (scope >= StageScope::stack && !a.has(id.stack)) return stacks_text(a.stacks);
  const int n_layers = a.layers_of(id.stack);
  if (scope >= StageScope::layer && n_layers > 0 && id.layer >= n_layers)
    return "this stack has " + counted(n_layers, "layer") + ", counted from 0";
  if (scope >= StageScope::attention && !a.has(id.stack, id.attention)) {
    return id.attention == AttentionKind::cross ? "only a decoder with an encoder has cross-attention"
                                                : "the model has only cross-attention";
  }
  if (scope >= StageScope::layer && a.layers_of(id.stack) == 0)
    return "a model of cross-attention alone has an encoder without layers";
  if (id != normalized(id)) return "where a stage has no head, layer or attention, its index must be 0";
  const bool is_of_norm = id.kind == norm_gain || id.kind == norm_bias;
  if (is_of_norm && a.norms_sublayers() && skips_norm(at_kind(id, norm)))
    return "the first layer reads the embeddings, which are normalised already";
  // A norm may already have been applied to the captured output of the last layer, so it is known only as the
  // stack's output.
  const bool is_end = id.kind == layer_output && id.layer == a.layers_of(id.stack) - 1;
  return is_end && a.foreign.captured ? capture_ : std::string();
}

std::string Graph::why_absent(const StageId& id) const {
  std::string problem = place_problem(id);
  return problem.empty() ? std::string(node(id).reason) : problem;
}

std::vector<StageId> Graph::inputs(const StageId& id) const {
  if (!has(id)) return {};
  const Node& own = node(id);
  std::vector<StageId> inputs;
  const auto take = [&](StageId input) {
    input = canonical(architecture_, normalized(input));
    if (has(input) && std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(input);
  };
  for (StageId input : own.inputs) {
    input.layer = id.layer;
    input.head = id.head;
    if (own.instance == Instance::layer_before && id.layer > 0)
      input = {.kind = layer_output, .stack = id.stack, .layer = id.layer - 1};
    if (own.instance == Instance::last_layer) input.layer = architecture_.layers_of(id.stack) - 1;
    const int n = own.instance == Instance::every_head ? architecture_.n_heads : 1;
    for (int head = 0; head < n; ++head) {
      if (own.instance == Instance::every_head) input.head = head;
      take(input);
    }
  }
  return inputs;
}

std::vector<StageId> Graph::users(const StageId& id) const {
  std::vector<StageId> users;
  const StageId own = canonical(architecture_, normalized(id));
  const bool is_of_model = shape_of(id.kind).scope == StageScope::model;
  const Stack stack = is_of_model && !architecture_.has(id.stack) ? architecture_.first_stack() : id.stack;
  for (const StageShape& line : stage_shapes) {
    const StageId user = normalized({line.kind, stack, id.layer, id.attention, id.head});
    const bool may_use =
        std::ranges::find(node(user).inputs, id.kind, &StageId::kind) != node(user).inputs.end();
    if (may_use && std::ranges::count(inputs(user), own) > 0) users.push_back(user);
  }
  return users;
}

bool Graph::follows(const StageId& id, const StageId& from) const {
  const StageId own = canonical(architecture_, normalized(from));
  return std::ranges::any_of(inputs(id), [&](const StageId& input) {
    const bool is_inside = shape_of(input.kind).scope >= StageScope::layer && input.layer == id.layer;
    return input == own || (is_inside && follows(input, own));
  });
}

namespace {

/// The stages of a range of kinds in order. Kinds with a deeper scope repeat once for each instance of the
/// scope.
class StageList {
 public:
  StageList(const Graph& graph, const Architecture& architecture) : graph_(graph), a_(architecture) {}

  std::vector<StageId> all() {
    append(0, stage_shapes.size(), StageScope::model, {});
    return std::move(ids_);
  }

 private:
  void append(std::size_t first, std::size_t last, StageScope level, StageId id) {
    const auto kinds = stage_shapes;
    for (std::size_t i = first; i < last;) {
      id.kind = kinds[i].kind;
      if (kinds[i].scope == level) {
        if (canonical(a_, id) == id && graph_.has(id)) ids_.push_back(id);
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
    constexpr int stacks_or_attentions = 2;
    if (scope == StageScope::layer) return a_.n_layers;
    return scope == StageScope::head ? a_.n_heads : stacks_or_attentions;
  }

  static StageId at(StageId id, StageScope scope, int instance) {
    if (scope == StageScope::stack) id.stack = static_cast<Stack>(instance);
    if (scope == StageScope::layer) id.layer = instance;
    if (scope == StageScope::attention) id.attention = static_cast<AttentionKind>(instance);
    if (scope == StageScope::head) id.head = instance;
    return id;
  }

  const Graph& graph_;
  const Architecture& a_;
  std::vector<StageId> ids_;
};

}  // namespace

std::vector<StageId> Graph::stages() const {
  return StageList(*this, architecture_).all();
}

StageId at_kind(StageId id, StageKind kind) {
  id.kind = kind;
  return normalized(id);
}

}  // namespace headscope
