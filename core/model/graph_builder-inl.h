#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_count.h"
#include "core/model/graph.h"

// How the nodes of a graph follow from an architecture. For graph.cpp alone.

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

/// Whether a stage can be computed from what the capture holds.
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

/// Builds the nodes of a model whose layers are all like `layer`, from tokens to predictions; read it from
/// top to bottom. Each function returns the stage that feeds the next part. Where the model lacks a stage,
/// its first input takes its place.
class GraphBuilder {
 public:
  GraphBuilder(std::vector<Graph::Node>& nodes, const Architecture& a, const AttentionOptions& options,
               bool has_table, int layer)
      : nodes_(nodes), a_(a), options_(options), has_table_(has_table), layer_(layer) {}

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
    x = end_streams(x);
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
    if (!is_transformed.holds) {
      add(input, Op::sum, parts);
    } else {
      add(input, is_projected.holds ? Op::linear : Op::copy, {x, w, b});
    }
    add_layer_inputs();
    add(streams_projected, Op::linear, {at(input), parameter(w_streams, has_streams())}, has_streams());
    add(streams_start, Op::as_large, {at(streams_projected), at(input)}, has_streams());
    return at(input);
  }

  Condition has_streams() const { return {a_.foreign.streams.has_value(), "there is one stream of rows"}; }

  /// What the streams together predict of a layer's input `x`.
  StageId predictions_of(const StageId& x) {
    const Condition exists = has_streams();
    add(streams_input, Op::copy, {at(streams_start)}, exists, Graph::Instance::layer_before);
    add(streams_norm, Op::norm, {x, parameter(streams_norm_gain, exists)}, exists);
    add(streams_router, Op::tanh_linear, {at(streams_norm), parameter(w_streams_router, exists)}, exists);
    const StageId factors =
        add(prediction_factors, Op::linear, {at(streams_router), parameter(w_prediction, exists)}, exists);
    add(predicted_streams, Op::predict, {x, at(streams_input), factors}, exists);
    return add(predicted_row, Op::predict, {x, at(streams_input), factors}, exists);
  }

  /// Adds LAuReL to the residual sum `x` of attention.
  StageId laurel(const StageId& x) {
    const Condition exists = has_streams();
    add(laurel_latent, Op::linear, {at(norm), parameter(w_laurel_left, exists)}, exists);
    add(laurel_projected, Op::linear, {at(laurel_latent), parameter(w_laurel_right, exists)}, exists);
    add(laurel_normed, Op::norm, {at(laurel_projected), parameter(laurel_gain, exists)}, exists);
    add(laurel_sum, Op::sum, {at(norm), at(laurel_normed)}, exists);
    return add(laurel_residual, Op::root_sum, {x, at(laurel_sum)}, exists);
  }

  /// Corrects all streams by what the sublayers computed.
  StageId corrections_by(const StageId& computed) {
    const Condition exists = has_streams();
    add(correction_norm, Op::norm, {computed, at(streams_norm_gain)}, exists);
    add(correction_router, Op::tanh_linear, {at(correction_norm), at(w_streams_router)}, exists);
    add(correction_factors, Op::limited_linear, {at(correction_router), parameter(w_correction, exists)},
        exists);
    add(corrected_streams, Op::correct,
        {at(predicted_streams), at(predicted_row), computed, at(correction_factors)}, exists);
    add(corrected_row, Op::correct, {at(predicted_row), at(predicted_row), computed, at(correction_factors)},
        exists);
    return exists.holds ? at(corrected_row) : computed;
  }

  /// The mean of the streams, of which `x` is the first, behind the last layer.
  StageId end_streams(const StageId& x) {
    const Condition exists = has_streams();
    add(streams_end_projected, Op::stream_linear, {at(streams_output), parameter(w_streams_end, exists)},
        exists, Graph::Instance::last_layer);
    add(streams_end, Op::as_large, {at(streams_end_projected), x}, exists, Graph::Instance::last_layer);
    return add(streams_mean, Op::mean_of_streams, {x, at(streams_end)}, exists, Graph::Instance::last_layer);
  }

  Condition has_layer_inputs() const {
    return {a_.foreign.layer_inputs.has_value(), "only the first layer reads embeddings"};
  }

  /// The embeddings that enter the layers besides their inputs.
  void add_layer_inputs() {
    add(layer_embedding, Op::lookup, {parameter(layer_table, has_layer_inputs())}, has_layer_inputs());
    add(layer_context, Op::linear, {at(input), parameter(w_layer_context, has_layer_inputs())},
        has_layer_inputs());
    add(layer_context_normed, Op::head_norm,
        {at(layer_context), parameter(layer_context_gain, has_layer_inputs())}, has_layer_inputs());
    add(layer_inputs, Op::sum, {at(layer_context_normed), at(layer_embedding)}, has_layer_inputs());
  }

  /// What the layer's embedding adds to `x`.
  StageId layer_entries(const StageId& x) {
    const Condition exists = has_layer_inputs();
    add(own_layer_input, Op::slice, {at(layer_inputs)}, exists);
    const Condition has_gain = both(has_streams(), {a_.foreign.streams.value_or(Streams()).scales,
                                                    "no gain multiplies the corrected stream"});
    const StageId read =
        add(corrected_gained, Op::layer_scale, {x, parameter(correction_gain, has_gain)}, has_gain);
    add(layer_gate, Op::linear, {read, parameter(w_layer_gate, exists)}, exists);
    add(layer_gate_activated, Op::activate, {at(layer_gate)}, exists);
    add(layer_gated, Op::multiply, {at(layer_gate_activated), at(own_layer_input)}, exists);
    add(layer_entry, Op::linear, {at(layer_gated), parameter(w_layer_entry, exists)}, exists);
    add(layer_entry_normed, Op::norm, {at(layer_entry), parameter(layer_entry_gain, exists)}, exists);
    add(streams_output, Op::add_to_streams, {at(corrected_streams), at(layer_entry_normed)}, has_streams());
    return add(layer_entry_residual, Op::sum, {x, at(layer_entry_normed)},
               both(exists, {!has_streams().holds, "the layer's embedding enters the other streams"}));
  }

  /// The nodes that all layers of a stack share. `below` is what the first one reads.
  StageId layer(const StageId& below, const StageId& memory) {
    const StageId begin = add(layer_input, Op::copy, {below}, {}, Graph::Instance::layer_before);
    StageId x = predictions_of(begin);
    // A parallel feed-forward layer may share the norm before the first attention.
    at_.attention = a_.has_self() ? AttentionKind::self : AttentionKind::cross;
    const StageId attention_input = a_.has_pre_norm() ? at(norm) : begin;
    for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
      if (!a_.has(at_.stack, kind)) continue;
      at_.attention = kind;
      x = attention(x, memory);
    }
    at_.attention = AttentionKind::self;
    x = layer_entries(corrections_by(feed_forward(begin, attention_input, laurel(x))));
    const Condition is_scaled{a_.foreign.layer_scalar, "layers do not multiply their outputs by a number"};
    return add(layer_output, is_scaled.holds ? Op::layer_scale : Op::copy,
               {x, parameter(layer_scalar, is_scaled)});
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
    const StageId w_k = parameter(w_key, makes_keys());
    StageId k = add(key, Op::linear,
                    {at(shared_key), c, w_k, parameter(b_key, both(makes_keys(), {a_.bias.key, no_bias}))},
                    makes_keys());
    const StageId v = values(c);

    const Condition is_normed{a_.qk_norm, "queries and keys are not normalised"};
    const Graph::Instance normed_heads =
        a_.foreign.head_norm == HeadNorm::rms_of_all ? Graph::Instance::every_head : Graph::Instance::same;
    q = add(normed_query, Op::head_norm, {q, parameter(query_norm_gain, is_normed)}, is_normed, normed_heads);
    const Condition are_keys_normed = both(makes_keys(), is_normed);
    k = add(normed_key, Op::head_norm, {k, parameter(key_norm_gain, are_keys_normed)}, are_keys_normed,
            normed_heads);
    const Condition is_rotary{a_.uses_rotary() && is_self, "positions are not rotary here"};
    q = add(rotated_query, Op::rotate, {q}, is_rotary);
    k = makes_keys().holds ? add(rotated_key, Op::rotate, {k}, is_rotary)
                           : add(rotated_key, Op::copy, {at(rotated_key)}, {}, Graph::Instance::keys_layer);
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
    std::vector<StageId> of_softmax{s};
    if (options_.softmax == SoftmaxAxis::keys) of_softmax.push_back(sink_score);
    StageId w = add(weights, Op::softmax, std::move(of_softmax));
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

  Condition makes_keys() const {
    return {a_.own(layer_).keys_of < 0, "this layer uses the keys and values of an earlier one"};
  }

  /// The values, which are projected from `c` and may be normalised. With K = V, they are the keys.
  StageId values(const StageId& c) {
    const Condition is_projected =
        both(makes_keys(),
             {!a_.own(layer_).values_from_keys, "the values of this layer are its keys before their norm"});
    const Condition is_normed{a_.foreign.value_norm, "values are not normalised"};
    const StageId w = parameter(w_value, is_projected);
    const StageId b = parameter(b_value, both(is_projected, {a_.bias.value, no_bias}));
    if (!makes_keys().holds) {
      mark_absent(projected_value, makes_keys());
      return add(value, Op::copy, {at(value)}, {}, Graph::Instance::keys_layer);
    }
    if (!is_normed.holds && is_projected.holds) {
      mark_absent(projected_value, is_normed);
      return add(value, Op::linear, {c, w, b});
    }
    add(projected_value, Op::linear, {c, w, b}, is_projected);
    return add(value, is_normed.holds ? Op::head_norm : Op::copy,
               {at(is_projected.holds ? projected_value : key)});
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

    const Condition has_dense{exists.holds && a_.dense_width() > 0, "no dense layer is beside the experts"};
    const StageId router_input =
        add(router_norm, Op::norm, {x, parameter(router_norm_gain, has_dense)}, has_dense);
    const bool is_routed = experts(has_dense.holds ? router_input : sublayer_input).holds;
    const Op op = is_routed ? Op::expert_linear : Op::linear;
    const auto add_linear = [&](StageKind kind, StageKind w, StageKind b, const Condition& condition) {
      std::vector<StageId> inputs{sublayer_input, parameter(w, condition),
                                  parameter(b, both(condition, has_bias))};
      if (is_routed) inputs.insert(inputs.begin(), at(expert_shares));
      return add(kind, op, std::move(inputs), condition);
    };
    StageId h = add_linear(hidden, w_1, b_1, exists);
    const bool has_limit = a_.foreign.gate_limit > 0.0F;
    h = add(sparse_gate, Op::lower, {h},
            both(exists, {a_.own(layer_).sparsity > 0.0F, "this layer does not lower its gate"}));
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
    z = dense_beside(x, z, has_dense);
    z = add_residual(feed_forward_residual, x, z,
                     {a_.residual && a_.d_ff > 0, "no feed-forward layer has a residual connection"});
    z = add(feed_forward_normed, Op::norm, {z, gain, bias},
            {a_.norm == Norm::post && a_.d_ff > 0, "there is no norm after a feed-forward layer"});
    return exists.holds ? z : x;
  }

  /// A dense feed-forward layer of `x` beside the experts, whose output is `z`. Returns their normalised sum.
  StageId dense_beside(const StageId& x, const StageId& z, const Condition& exists) {
    const StageId read = add(dense_norm, Op::norm, {x, parameter(dense_norm_gain, exists)}, exists);
    add(dense_hidden, Op::linear, {read, parameter(w_dense_1, exists)}, exists);
    add(dense_activated, Op::activate, {at(dense_hidden)}, exists);
    add(dense_up, Op::linear, {read, parameter(w_dense_up, exists)}, exists);
    add(dense_gated, Op::multiply, {at(dense_activated), at(dense_up)}, exists);
    add(dense_output, Op::linear, {at(dense_gated), parameter(w_dense_2, exists)}, exists);
    const StageId own = add(dense_output_norm, Op::norm,
                            {at(dense_output), parameter(dense_output_norm_gain, exists)}, exists);
    const StageId sum = add(feed_forward_sum, Op::sum, {z, own}, exists);
    return add(feed_forward_sum_norm, Op::norm, {sum, parameter(feed_forward_sum_gain, exists)}, exists);
  }

  Condition has_experts() const {
    return {a_.has_experts(layer_) && a_.d_ff > 0, "all tokens go through the same feed-forward layer"};
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
    const Condition has_factors = both(is_routed, {experts.dense_width > 0, "experts have no factors"});
    const Condition has_bias = both(is_routed, {a_.bias.feed_forward, no_bias});
    const StageId expert_logits =
        add(router_logits, Op::linear,
            {sublayer_input, parameter(w_router, is_routed), parameter(b_router, has_bias)}, is_routed);
    add(shared_gate, Op::gate, {sublayer_input, parameter(w_shared_gate, has_gate)}, has_gate);
    add(expert_shares, Op::route,
        {expert_logits, at(shared_gate), parameter(router_correction, has_correction),
         parameter(router_factors, has_factors)},
        is_routed);
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
  int layer_;
  StageId at_;  ///< the stack and attention being built
};

}  // namespace headscope
