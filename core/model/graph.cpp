#include "core/model/graph.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "core/enum_count.h"
#include "core/text/number_text.h"

namespace headscope {

using enum StageKind;

namespace {

/// Whether the model has a part and, if not, the reason.
struct Condition {
  bool holds = true;
  std::string_view reason;
};

/// The conjunction of two conditions, with the reason of the first that fails.
Condition both(const Condition& first, const Condition& second) {
  return first.holds ? second : first;
}

constexpr std::string_view no_bias = "this linear layer has no bias";
constexpr std::string_view no_norm_bias = "RMS norm has no bias";
constexpr std::string_view no_products = "the scores contain no products with positions here";
constexpr std::string_view shared_norm = "the feed-forward layer reads the output of attention's norm";

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

/// Whether a capture contains the numbers of this kind of stage.
bool is_captured(const CapturedParts& parts, StageKind kind) {
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

/// Whether they can be computed from the contents of the capture.
bool is_derived_from_capture(const CapturedParts& parts, StageKind kind) {
  switch (kind) {
    // Captured weights need not equal the softmax of the captured queries and keys.
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

/// Builds the nodes of a model, from tokens to predictions; read it from top to bottom. Each function returns
/// the stage that feeds the next part. Where the model lacks a stage, its first input takes its place.
class GraphBuilder {
 public:
  GraphBuilder(std::vector<Graph::Node>& nodes, const Architecture& a, const AttentionOptions& options,
               bool has_table)
      : nodes_(nodes), a_(a), options_(options), has_table_(has_table) {}

  void build() {
    StageId end;  // Of the last stack so far. Cross-attention reads that of the encoder.
    for (const Stack which : {Stack::encoder, Stack::decoder}) {
      at_ = {.stack = which};
      if (a_.has(which)) end = stack(end);
    }
    predictions(end);
  }

  /// Turns captured stages into leaves, and marks stages that cannot be computed from them as absent, for
  /// `reason`.
  void restrict_to_capture(const CapturedParts& parts, std::string_view reason) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Graph::Node& node = nodes_[i];
      const auto kind = static_cast<StageKind>(i % enum_count<StageKind>);
      if (!node.is_present()) continue;
      if (is_captured(parts, kind)) {
        node.op = Op::captured;
        node.inputs.clear();
      } else if (!is_derived_from_capture(parts, kind)) {
        node.reason = reason;
      }
    }
  }

 private:
  /// A stack: embeddings, layers and final norm. `memory` is the output of the encoder.
  StageId stack(const StageId& memory) {
    StageId x = embeddings();
    const int n_layers = a_.layers_of(at_.stack);
    if (n_layers > 0) x = layer(x, memory);
    const Condition has_final_norm{a_.has_final_norm(at_.stack), "there is no norm after the last layer"};
    const StageId gain = parameter(final_norm_gain, has_final_norm);
    const StageId bias = parameter(final_norm_bias, both(has_final_norm, is_layer_norm()));
    return add(stack_output, has_final_norm.holds ? Op::norm : Op::copy, {x, gain, bias}, {},
               Graph::Instance::last_layer);
  }

  StageId embeddings() {
    const Condition has_embedding_table{
        has_table_, "each word's row is drawn from the word itself; only the seed1 tokenizer has a table"};
    const Condition has_segments{a_.foreign.segments > 0, "the model has no segments"};
    const Condition adds_positions{a_.adds_positions(),
                                   a_.positions == Positions::none && !a_.foreign.disentangled
                                       ? "positions are off"
                                       : "these positions are not added to the embeddings"};
    add(embedding, Op::lookup, {parameter(embedding_table, has_embedding_table)});
    add_position_tables();
    add(positions, Op::lookup, {row_table_of(a_, at_.stack)}, adds_positions);
    add(segments, Op::lookup, {parameter(segments_table, has_segments)}, has_segments);
    const std::vector<StageId> parts{at(embedding), at(positions), at(segments)};

    const Condition is_transformed{a_.transforms_embeddings(),
                                   "the sum of the embeddings is the input itself"};
    const Condition is_normed{a_.foreign.embedding_norm, "embeddings are not normalised"};
    const Condition is_projected{a_.has_embedding_projection(),
                                 "embeddings are already as wide as the model"};
    StageId x = add(embedding_sum, Op::sum, parts, is_transformed);
    x = add_norm(embedding_sum_normed, x, embedding_norm_gain, embedding_norm_bias, is_normed);
    const StageId w = parameter(w_embedding, is_projected);
    const StageId b = parameter(b_embedding, is_projected);
    if (!is_transformed.holds) return add(input, Op::sum, parts);
    return add(input, is_projected.holds ? Op::linear : Op::copy, {x, w, b});
  }

  /// The nodes that all layers of a stack share. `below` is what the first one reads.
  StageId layer(const StageId& below, const StageId& memory) {
    const StageId begin = add(layer_input, Op::copy, {below}, {}, Graph::Instance::layer_before);
    StageId x = begin;
    // A parallel feed-forward layer may share the norm before the first attention.
    at_.attention = a_.has_self() ? AttentionKind::self : AttentionKind::cross;
    const StageId attention_input = a_.has_pre_norm() ? at(norm) : begin;
    for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
      if (!a_.has(at_.stack, kind)) continue;
      at_.attention = kind;
      x = attention(x, memory);
    }
    at_.attention = AttentionKind::self;
    x = feed_forward(begin, attention_input, x);
    return add(layer_output, Op::copy, {x});
  }

  /// The attention sublayer of `x`: pre-norm, heads, output projection, residual connection and post-norm. In
  /// cross-attention, keys and values are projected from `memory`.
  StageId attention(const StageId& x, const StageId& memory) {
    const Condition has_sublayer_norm{a_.has_sublayer_norm(),
                                      "there is no norm before the sublayers or after their sums"};
    const StageId gain = parameter(norm_gain, has_sublayer_norm);
    const StageId bias = parameter(norm_bias, both(has_sublayer_norm, is_layer_norm()));
    const StageId sublayer_input = add(norm, Op::norm, {x, gain, bias}, has_pre_norm());
    const StageId head_outputs =
        heads(sublayer_input, at_.attention == AttentionKind::cross ? memory : sublayer_input);

    StageId y = add(projected, a_.output_projection ? Op::linear : Op::copy,
                    {head_outputs, parameter(w_output, has_output_projection()),
                     parameter(b_output, both(has_output_projection(), {a_.bias.output, no_bias}))});
    y = add_norm(output_norm, y, output_norm_gain, output_norm_bias, has_output_norm());
    y = add_residual(residual, x, y, {a_.residual, "there are no residual connections"});
    return add(normed, Op::norm, {y, gain, bias},
               {a_.norm == Norm::post, "there is no norm after the sublayers"});
  }

  /// Multi-head attention, from projections to the concatenated outputs. Queries are projected from
  /// `sublayer_input`, keys and values from `kv_input`.
  StageId heads(const StageId& sublayer_input, const StageId& kv_input) {
    const bool is_self = at_.attention == AttentionKind::self;
    const Condition has_latent{a_.kv_latent.has_value(), "keys and values are not made from a latent"};
    const Condition shares{
        a_.shared_key_width(at_.attention) > 0,
        "heads share no key: this requires a latent of keys and values and rotary positions"};
    StageId c = add(latent, Op::linear, {kv_input, parameter(w_latent, has_latent)}, has_latent);
    c = add(normed_latent, Op::head_norm, {c, parameter(latent_norm_gain, has_latent)}, has_latent);
    add(shared_key, Op::linear, {kv_input, parameter(w_shared_key, shares)}, shares);

    const Condition has_query_latent{a_.foreign.query_latent.has_value(),
                                     "queries are not made from a latent"};
    StageId from = add(query_latent, Op::linear,
                       {sublayer_input, parameter(w_query_latent, has_query_latent)}, has_query_latent);
    from = add(normed_query_latent, Op::head_norm,
               {from, parameter(query_latent_norm_gain, has_query_latent)}, has_query_latent);
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
    const Condition is_rotary{a_.uses_rotary() && is_self, "positions are not rotary here"};
    q = add(rotated_query, Op::rotate, {q}, is_rotary);
    k = add(rotated_key, Op::rotate, {k}, is_rotary);
    const Condition is_linear{a_.linear_attention, "attention uses softmax and is not linear"};
    q = add(mapped_query, Op::feature_map, {q}, is_linear);
    k = add(mapped_key, Op::feature_map, {k}, is_linear);

    project_positions();
    StageId s = add(raw, Op::scores, {q, k});
    s = add(
        scaled, Op::scale, {s},
        {!a_.linear_attention, "linear attention divides scores by their sum, so a scale would cancel out"});
    s = add(capped, Op::cap, {s}, {a_.softcap > 0.0F, "scores are not capped"});
    parameter(layer_biases_table, {a_.has_per_layer_bias_tables() && is_self,
                                   "this attention has no table of relative positions of its own"});
    add_position_bias(q, k);
    s = add(masked, Op::mask, {s, at(position_bias)});

    constexpr std::string_view no_sinks =
        "there are no sinks: the heads have none, or softmax runs over queries";
    const StageId sink_score = parameter(sink, {a_.sinks, no_sinks});
    StageId w = add(weights, Op::softmax, {s, sink_score});
    add(sink_share, Op::sink_share, {s, sink_score},
        {a_.sinks && options_.softmax == SoftmaxAxis::keys, no_sinks});
    w = add(dropped, Op::drop, {w}, {options_.has_dropout(), "dropout applies only in training"});
    add(effective_weights, Op::effective, {w, v, at(w_output)},
        both(has_output_projection(),
             {!a_.output_gate, "the gate weighs the same value differently for each query"}));
    add(state, Op::state, {k, v}, is_linear);
    add(state_sum, Op::state_sum, {k}, is_linear);
    const StageId o = add(output, Op::average, {w, v});

    const Condition has_gate{a_.output_gate, "heads' outputs have no gate"};
    const StageId all = add(concat, Op::concat, {o}, {}, Graph::Instance::every_head);
    add(head_gate, Op::gate, {sublayer_input, parameter(w_gate, has_gate)}, has_gate);
    const StageId head_outputs = add(gated_heads, Op::multiply, {all, at(head_gate)}, has_gate);
    add(contribution, Op::contribution, {has_gate.holds ? head_outputs : o, at(w_output)},
        has_output_projection());
    return head_outputs;
  }

  /// The queries and keys of distances in disentangled attention.
  void project_positions() {
    const Disentangled positions = a_.foreign.disentangled.value_or(Disentangled());
    add(distance_rows, Op::lookup, {row_table_of(a_, at_.stack)}, has_products());
    const StageId rows =
        add_norm(normed_distance_rows, at(distance_rows), distance_norm_gain, distance_norm_bias,
                 both(has_products(), {positions.normalizes, "the rows of distances are not normalised"}));
    const Condition has_own =
        both(has_products(), {!positions.shares_projections, "positions are projected like words"});
    const auto project = [&](StageKind kind, bool exists, const StageKind(&own)[2],
                             const StageKind(&shared)[2], bool has_bias) {
      const Condition is_own = both(has_own, {exists, no_products});
      const StageId w = parameter(own[0], is_own), b = parameter(own[1], both(is_own, {has_bias, no_bias}));
      add(kind, Op::linear, {rows, has_own.holds ? w : at(shared[0]), has_own.holds ? b : at(shared[1])},
          both(has_products(), {exists, no_products}));
    };
    project(position_query, positions.position_to_content, {w_position_query, b_position_query},
            {w_query, b_query}, a_.bias.query);
    project(position_key, positions.content_to_position, {w_position_key, b_position_key}, {w_key, b_key},
            a_.bias.key);
  }

  /// What positions add to the scores of queries `q` and keys `k`.
  void add_position_bias(const StageId& q, const StageId& k) {
    const Disentangled positions = a_.foreign.disentangled.value_or(Disentangled());
    add(content_to_position, Op::position_products, {q, at(position_key)},
        both(has_products(), {positions.content_to_position, no_products}));
    add(position_to_content, Op::position_products, {k, at(position_query)},
        both(has_products(), {positions.position_to_content, no_products}));
    if (has_products().holds) {
      add(position_bias, Op::position_sum, {at(content_to_position), at(position_to_content)});
    } else {
      add(position_bias, Op::distance_bias, {bias_table_of(a_, at_.stack, 0)},
          {a_.has_score_biases() && at_.attention == AttentionKind::self,
           "positions add no bias to the scores here"});
    }
  }

  /// The feed-forward sublayer of `x`. A parallel block reads the layer's input `begin` instead, through its
  /// own pre-norm or attention's (`attention_input`).
  StageId feed_forward(const StageId& begin, const StageId& attention_input, const StageId& x) {
    const Condition exists{a_.d_ff > 0, "there is no feed-forward layer"};
    const Condition is_gated = both(exists, {a_.gated, "the feed-forward layer is not gated"});
    const Condition has_bias{a_.bias.feed_forward, no_bias};
    const Condition has_own_norm{a_.feed_forward_has_norm(), shared_norm};
    const Condition norm_exists =
        both({a_.has_sublayer_norm() && a_.d_ff > 0, "there is no norm around a feed-forward layer"},
             has_own_norm);
    const Condition reads_pre_norm = both(
        {a_.has_pre_norm() && a_.d_ff > 0, "there is no norm before a feed-forward layer"}, has_own_norm);
    const StageId gain = parameter(feed_forward_norm_gain, norm_exists);
    const StageId bias = parameter(feed_forward_norm_bias, both(norm_exists, is_layer_norm()));
    add(feed_forward_norm, Op::norm, {a_.is_parallel() ? begin : x, gain, bias}, reads_pre_norm);
    const StageId sublayer_input = reads_pre_norm.holds ? at(feed_forward_norm)
                                   : a_.is_parallel()   ? attention_input
                                                        : x;

    const bool is_routed = experts(sublayer_input).holds;
    const Op op = is_routed ? Op::expert_linear : Op::linear;
    const auto add_linear = [&](StageKind kind, StageKind w, StageKind b, const Condition& condition) {
      std::vector<StageId> inputs{sublayer_input, parameter(w, condition),
                                  parameter(b, both(condition, has_bias))};
      if (is_routed) inputs.insert(inputs.begin(), at(expert_shares));
      return add(kind, op, std::move(inputs), condition);
    };
    StageId h = add_linear(hidden, w_1, b_1, exists);
    const bool has_limit = a_.foreign.gate_limit > 0.0F;
    h = add(activated, has_limit ? Op::limited_gate : Op::activate, {h}, exists);
    const StageId u = add_linear(up, w_up, b_up, is_gated);
    add(up_shifted, Op::limited_shift, {u}, both(is_gated, {has_limit, "the gate multiplies U itself"}));
    h = add(feed_forward_gated, Op::multiply, {h, has_limit ? at(up_shifted) : u}, is_gated);
    h = add(expert_weighted, Op::weigh, {h, at(expert_shares)}, has_experts());
    const Condition has_output_bias = both(exists, has_bias);
    std::vector<StageId> operands{
        h, parameter(w_2, exists),
        parameter(b_2, both(has_output_bias, {!is_routed, "each expert has its own bias"})),
        parameter(expert_biases, both(has_output_bias, has_experts()))};
    if (is_routed) operands.insert(operands.begin(), at(expert_shares));
    StageId z =
        add(feed_forward_output, is_routed ? Op::expert_sum : Op::linear, std::move(operands), exists);
    z = add_norm(feed_forward_output_norm, z, feed_forward_output_norm_gain, feed_forward_output_norm_bias,
                 both(exists, has_output_norm()));
    z = add_residual(feed_forward_residual, x, z,
                     {a_.residual && a_.d_ff > 0, "no feed-forward layer has a residual connection"});
    z = add(feed_forward_normed, Op::norm, {z, gain, bias},
            {a_.norm == Norm::post && a_.d_ff > 0, "there is no norm after a feed-forward layer"});
    return exists.holds ? z : x;
  }

  Condition has_experts() const {
    return {a_.foreign.experts && a_.d_ff > 0, "all tokens go through the same feed-forward layer"};
  }
  /// The router: each token's shares in the experts, from the input `sublayer_input` of the feed-forward
  /// layer.
  Condition experts(const StageId& sublayer_input) {
    const Condition is_routed = has_experts();
    const Experts experts = a_.foreign.experts.value_or(Experts());
    const Condition has_shared_expert =
        both(is_routed, {experts.shared_width > 0, "there is no expert that every token takes"});
    const Condition has_gate = both(
        has_shared_expert, {experts.has_shared_gate, "the expert that every token takes counts in full"});
    const Condition has_correction =
        both(is_routed, {experts.has_correction, "the choice of experts is not corrected"});
    const Condition has_bias = both(is_routed, {a_.bias.feed_forward, no_bias});
    const StageId expert_logits =
        add(router_logits, Op::linear,
            {sublayer_input, parameter(w_router, is_routed), parameter(b_router, has_bias)}, is_routed);
    add(shared_gate, Op::gate, {sublayer_input, parameter(w_shared_gate, has_gate)}, has_gate);
    add(expert_shares, Op::route,
        {expert_logits, at(shared_gate), parameter(router_correction, has_correction)}, is_routed);
    return is_routed;
  }

  /// The final linear layer and the softmax over words, from the last stack's output `x`.
  void predictions(const StageId& x) {
    const Condition has_output_layer{a_.output_layer != OutputLayer::none, "there is no final linear layer"};
    const Condition has_transform = both(
        has_output_layer,
        {a_.has_output_transform(), "the final linear layer reads the output of the last layer directly"});
    StageId t =
        add(transform_hidden, Op::linear,
            {x, parameter(w_transform, has_transform), parameter(b_transform, has_transform)}, has_transform);
    t = add(transform_activated, Op::activate, {t}, has_transform);
    t = add_norm(transform_output, t, transform_norm_gain, transform_norm_bias, has_transform);
    const Condition has_bias{a_.output_bias, "the final linear layer has no bias"};
    t = add(logits, Op::linear,
            {t, parameter(w_logits, has_output_layer), parameter(b_logits, both(has_output_layer, has_bias))},
            has_output_layer);
    add(probabilities, Op::word_softmax, {t}, has_output_layer);
  }

  /// The position tables: the shared one and those of this stack.
  void add_position_tables() {
    const bool is_own = a_.has_per_stack_bias_tables();
    parameter(
        positions_table,
        {a_.has_position_table(),
         is_own
             ? "the encoder and the decoder each have a table of relative positions: encoder.positions.biases and decoder.positions.biases"
         : a_.has_per_stack_position_rows()
             ? "the encoder and the decoder each have a table: encoder.positions.rows and decoder.positions.rows"
         : a_.has_per_layer_bias_tables() ? "each layer has a table of its own"
                                          : "these positions have no table"});
    parameter(stack_positions_table,
              {is_own, "only an encoder and a decoder with relative positions have a table each"});
    parameter(stack_position_rows, {a_.has_per_stack_position_rows(),
                                    "the stacks have no tables of learned positions of their own"});
  }

  Condition has_products() const {
    return {a_.foreign.disentangled && at_.attention == AttentionKind::self, no_products};
  }
  Condition is_layer_norm() const { return {a_.norm_kind == NormKind::layer, no_norm_bias}; }
  Condition has_output_projection() const { return {a_.output_projection, "the output projection is off"}; }
  Condition has_pre_norm() const { return {a_.has_pre_norm(), "there is no norm before the sublayers"}; }
  Condition has_output_norm() const {
    return {a_.has_output_norm(), "the sublayers' outputs are not normalised before they are added"};
  }

  StageId at(StageKind kind) const { return with_kind(at_, kind); }

  /// Adds a stage if the model has it. Returns it, or the first input, which takes its place.
  StageId add(StageKind kind, Op op, std::vector<StageId> inputs, const Condition& condition = {},
              Graph::Instance instance = Graph::Instance::same) {
    const StageId target = at(kind);
    if (!condition.holds) {
      mark_absent(kind, condition);
      return inputs.front();
    }
    nodes_[Graph::index(target)] = {op, instance, std::move(inputs), {}};
    return target;
  }
  StageId add_norm(StageKind kind, const StageId& x, StageKind gain, StageKind bias,
                   const Condition& condition) {
    return add(kind, Op::norm,
               {x, parameter(gain, condition), parameter(bias, both(condition, is_layer_norm()))}, condition);
  }
  /// A residual connection: a sublayer's input plus its output. Without one, the output takes its place, not
  /// the first input.
  StageId add_residual(StageKind kind, const StageId& stream, const StageId& update,
                       const Condition& condition) {
    add(kind, Op::sum, {stream, update}, condition);
    return condition.holds ? at(kind) : update;
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
    nodes_[Graph::index(at(kind))].reason = condition.reason;
  }

  std::vector<Graph::Node>& nodes_;
  const Architecture& a_;
  const AttentionOptions& options_;
  bool has_table_;
  StageId at_;  ///< the stack and attention being built
};

Graph::Graph(const Architecture& architecture, const AttentionOptions& options, bool has_table)
    : architecture_(architecture), nodes_(2 * 2 * enum_count<StageKind>) {
  GraphBuilder builder(nodes_, architecture_, options, has_table);
  builder.build();
  if (const auto& captured = architecture_.foreign.captured) {
    capture_reason_ = "the capture holds only " + contents_of(*captured);
    builder.restrict_to_capture(*captured, capture_reason_);
  }
  if (architecture_.foreign.experts && !architecture_.foreign.dense_layers.empty()) {
    Architecture dense = architecture_;
    dense.foreign.experts.reset();
    std::vector<Node> nodes(nodes_.size());
    GraphBuilder(nodes, dense, options, has_table).build();
    dense_nodes_ = std::move(nodes);
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

void Graph::make_steps() {
  const auto first = [&](Stack stack, bool with_experts) {
    const int n_layers = architecture_.layers_of(stack);
    int layer = 0;
    while (layer < n_layers && architecture_.has_experts(layer) != with_experts) ++layer;
    return layer < n_layers ? layer : 0;
  };
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    StackSteps& target = steps_[stack == Stack::decoder ? 1 : 0];
    bool is_input = true;
    if (!architecture_.has(stack)) continue;
    for (const StageInfo& each : all_stage_kinds()) {
      is_input = is_input && each.scope <= StageScope::stack;
      if (each.scope == StageScope::stack)
        add_step({each.kind, stack}, is_input ? target.input : target.output);
    }
    target.layer = make_layer_steps(stack, dense_nodes_.empty() ? 0 : first(stack, true));
    target.chains = chains_of(target.layer);
    if (!dense_nodes_.empty()) target.dense_layer = make_layer_steps(stack, first(stack, false));
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
      input = {.kind = layer_output, .stack = id.stack, .layer = id.layer - 1};
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
