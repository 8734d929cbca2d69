#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/enum_count.h"
#include "core/model/architecture.h"

namespace headscope {

/// All kinds of intermediate results and parameters of a forward pass, in topological order.
enum class StageKind {
  embedding_table,
  positions_table,
  stack_positions_table,
  stack_position_rows,
  segments_table,
  embedding_norm_gain,
  embedding_norm_bias,
  w_embedding,
  b_embedding,
  embedding,
  positions,
  segments,
  embedding_sum,
  embedding_sum_normed,
  input,
  layer_input,
  norm_gain,
  norm_bias,
  norm,
  w_output,
  b_output,
  w_query,
  b_query,
  w_key,
  b_key,
  w_value,
  b_value,
  layer_biases_table,
  sink,
  query_norm_gain,
  key_norm_gain,
  w_latent,
  latent_norm_gain,
  w_shared_key,
  w_query_latent,
  query_latent_norm_gain,
  latent,
  normed_latent,
  shared_key,
  query_latent,
  normed_query_latent,
  query,
  key,
  value,
  normed_query,
  normed_key,
  rotated_query,
  rotated_key,
  mapped_query,
  mapped_key,
  raw,
  scaled,
  capped,
  position_bias,
  masked,
  weights,
  sink_share,
  dropped,
  effective_weights,
  state,
  state_sum,
  output,
  concat,
  w_gate,
  head_gate,
  gated_heads,
  contribution,
  projected,
  output_norm_gain,
  output_norm_bias,
  output_norm,
  residual,
  normed,
  feed_forward_norm_gain,
  feed_forward_norm_bias,
  feed_forward_norm,
  w_router,
  b_router,
  router_correction,
  router_logits,
  w_shared_gate,
  shared_gate,
  expert_shares,
  w_1,
  b_1,
  hidden,
  activated,
  w_up,
  b_up,
  up,
  up_shifted,
  feed_forward_gated,
  expert_weighted,
  w_2,
  b_2,
  expert_biases,
  feed_forward_output,
  feed_forward_output_norm_gain,
  feed_forward_output_norm_bias,
  feed_forward_output_norm,
  feed_forward_residual,
  feed_forward_normed,
  layer_output,
  final_norm_gain,
  final_norm_bias,
  stack_output,
  w_transform,
  b_transform,
  transform_hidden,
  transform_activated,
  transform_norm_gain,
  transform_norm_bias,
  transform_output,
  w_logits,
  b_logits,
  logits,
  probabilities,
};

/// Where a stage occurs: once in the model, or once in each stack, layer, attention or head.
enum class StageScope { model, stack, layer, attention, head };

/// The quantity along an axis of a stage.
enum class Axis {
  query_tokens,
  key_tokens,
  d_model,
  /// Dimensions of embeddings, positions and segments: d_model unless they are projected to it.
  embedding,
  output_row,  ///< input dimensions of the unembedding: d_model unless there is an output transform
  segments,
  d_head,
  d_value,
  latent,        ///< dimensions of the key-value latent
  shared_key,    ///< key dimensions shared by all heads
  query_latent,  ///< dimensions of the query latent
  query_input,   ///< input of the query projection: d_model or query_latent
  kv_input,      ///< input of the key and value projections: d_model or latent
  query_gain,    ///< gains of the query norm, of one head or of all
  key_gain,      ///< the same for the key norm
  per_head_key,  ///< key dimensions of a single head: d_head, or those after the shared ones
  concat,
  d_ff,
  experts,      ///< experts that the router chooses from
  all_experts,  ///< those, followed by the shared expert, if any
  single,
  vocabulary,
  table_rows,     ///< rows of the embedding table
  position_rows,  ///< rows of a position table: positions, or heads if it contains biases
  position_cols   ///< columns of a position table: dimensions, or distances
};

/// The kind of a parameter. random_model() documents how each kind is drawn.
enum class ParameterKind : std::uint8_t {
  none,         ///< the stage is no parameter
  weight,       ///< of a linear layer
  bias,         ///< of a linear layer
  gain,         ///< of a norm
  offset,       ///< the bias of a norm
  sink_score,   ///< the score of an attention sink
  table,        ///< of positions or segments
  word_table,   ///< the embedding table
  word_weight,  ///< of the final linear layer
  word_bias     ///< of the final linear layer
};

/// The scope, name and axes of a kind of stage.
struct StageShape {
  StageKind kind = StageKind::embedding_table;
  StageScope scope = StageScope::model;
  std::string_view name = {};  ///< the last part of the path: "weights"
  Axis rows = Axis::single;
  Axis cols = Axis::single;
  ParameterKind parameter = ParameterKind::none;
  bool is_per_group = false;  ///< whether heads of a group share it

  /// Whether it is a parameter, which does not depend on the sentence.
  constexpr bool is_parameter() const { return parameter != ParameterKind::none; }
};

/// The shapes of all kinds, in order.
inline constexpr auto stage_shapes = [] {
  using enum StageKind;
  using enum StageScope;
  using enum ParameterKind;
  constexpr bool is_per_group = true;
  return std::array{
      StageShape{embedding_table, model, "embedding.table", Axis::table_rows, Axis::embedding, word_table},
      StageShape{positions_table, model, "positions.table", Axis::position_rows, Axis::position_cols, table},
      StageShape{stack_positions_table, stack, "positions.biases", Axis::position_rows, Axis::position_cols,
                 table},
      StageShape{stack_position_rows, stack, "positions.rows", Axis::position_rows, Axis::position_cols,
                 table},
      StageShape{segments_table, model, "segments.table", Axis::segments, Axis::embedding, table},
      StageShape{embedding_norm_gain, stack, "embedding.norm.gain", Axis::single, Axis::embedding, gain},
      StageShape{embedding_norm_bias, stack, "embedding.norm.bias", Axis::single, Axis::embedding, offset},
      StageShape{w_embedding, model, "embedding.W", Axis::embedding, Axis::d_model, weight},
      StageShape{b_embedding, model, "embedding.b", Axis::single, Axis::d_model, bias},
      StageShape{embedding, stack, "embedding", Axis::query_tokens, Axis::embedding},
      StageShape{positions, stack, "positions", Axis::query_tokens, Axis::embedding},
      StageShape{segments, stack, "segments", Axis::query_tokens, Axis::embedding},
      StageShape{embedding_sum, stack, "sum", Axis::query_tokens, Axis::embedding},
      StageShape{embedding_sum_normed, stack, "sum_normed", Axis::query_tokens, Axis::embedding},
      StageShape{input, stack, "input", Axis::query_tokens, Axis::d_model},
      StageShape{layer_input, layer, "input", Axis::query_tokens, Axis::d_model},
      StageShape{norm_gain, attention, "norm.gain", Axis::single, Axis::d_model, gain},
      StageShape{norm_bias, attention, "norm.bias", Axis::single, Axis::d_model, offset},
      StageShape{norm, attention, "norm", Axis::query_tokens, Axis::d_model},
      StageShape{w_output, attention, "W_O", Axis::concat, Axis::d_model, weight},
      StageShape{b_output, attention, "b_O", Axis::single, Axis::d_model, bias},
      StageShape{w_query, head, "W_Q", Axis::query_input, Axis::d_head, weight},
      StageShape{b_query, head, "b_Q", Axis::single, Axis::d_head, bias},
      StageShape{w_key, head, "W_K", Axis::kv_input, Axis::per_head_key, weight, is_per_group},
      StageShape{b_key, head, "b_K", Axis::single, Axis::per_head_key, bias, is_per_group},
      StageShape{w_value, head, "W_V", Axis::kv_input, Axis::d_value, weight, is_per_group},
      StageShape{b_value, head, "b_V", Axis::single, Axis::d_value, bias, is_per_group},
      StageShape{layer_biases_table, attention, "positions.biases", Axis::position_rows, Axis::position_cols,
                 table},
      StageShape{sink, head, "sink", Axis::single, Axis::single, sink_score},
      StageShape{query_norm_gain, attention, "query_norm.gain", Axis::single, Axis::query_gain, gain},
      StageShape{key_norm_gain, attention, "key_norm.gain", Axis::single, Axis::key_gain, gain},
      StageShape{w_latent, attention, "W_DKV", Axis::d_model, Axis::latent, weight},
      StageShape{latent_norm_gain, attention, "latent_norm.gain", Axis::single, Axis::latent, gain},
      StageShape{w_shared_key, attention, "W_KR", Axis::d_model, Axis::shared_key, weight},
      StageShape{w_query_latent, attention, "W_DQ", Axis::d_model, Axis::query_latent, weight},
      StageShape{query_latent_norm_gain, attention, "query_latent_norm.gain", Axis::single,
                 Axis::query_latent, gain},
      StageShape{latent, attention, "latent", Axis::key_tokens, Axis::latent},
      StageShape{normed_latent, attention, "normed_latent", Axis::key_tokens, Axis::latent},
      StageShape{shared_key, attention, "shared_key", Axis::key_tokens, Axis::shared_key},
      StageShape{query_latent, attention, "query_latent", Axis::query_tokens, Axis::query_latent},
      StageShape{normed_query_latent, attention, "normed_query_latent", Axis::query_tokens,
                 Axis::query_latent},
      StageShape{query, head, "query", Axis::query_tokens, Axis::d_head},
      StageShape{key, head, "key", Axis::key_tokens, Axis::d_head, none, is_per_group},
      StageShape{value, head, "value", Axis::key_tokens, Axis::d_value, none, is_per_group},
      StageShape{normed_query, head, "normed_query", Axis::query_tokens, Axis::d_head},
      StageShape{normed_key, head, "normed_key", Axis::key_tokens, Axis::d_head, none, is_per_group},
      StageShape{rotated_query, head, "rotated_query", Axis::query_tokens, Axis::d_head},
      StageShape{rotated_key, head, "rotated_key", Axis::key_tokens, Axis::d_head, none, is_per_group},
      StageShape{mapped_query, head, "mapped_query", Axis::query_tokens, Axis::d_head},
      StageShape{mapped_key, head, "mapped_key", Axis::key_tokens, Axis::d_head, none, is_per_group},
      StageShape{raw, head, "raw", Axis::query_tokens, Axis::key_tokens},
      StageShape{scaled, head, "scaled", Axis::query_tokens, Axis::key_tokens},
      StageShape{capped, head, "capped", Axis::query_tokens, Axis::key_tokens},
      StageShape{position_bias, head, "position_bias", Axis::query_tokens, Axis::key_tokens},
      StageShape{masked, head, "masked", Axis::query_tokens, Axis::key_tokens},
      StageShape{weights, head, "weights", Axis::query_tokens, Axis::key_tokens},
      StageShape{sink_share, head, "sink_share", Axis::query_tokens, Axis::single},
      StageShape{dropped, head, "dropped", Axis::query_tokens, Axis::key_tokens},
      StageShape{effective_weights, head, "effective_weights", Axis::query_tokens, Axis::key_tokens},
      StageShape{state, head, "state", Axis::d_head, Axis::d_value},
      StageShape{state_sum, head, "state_sum", Axis::single, Axis::d_head},
      StageShape{output, head, "output", Axis::query_tokens, Axis::d_value},
      StageShape{concat, attention, "concat", Axis::query_tokens, Axis::concat},
      StageShape{w_gate, attention, "W_G", Axis::d_model, Axis::concat, weight},
      StageShape{head_gate, attention, "gate", Axis::query_tokens, Axis::concat},
      StageShape{gated_heads, attention, "gated", Axis::query_tokens, Axis::concat},
      StageShape{contribution, head, "contribution", Axis::query_tokens, Axis::d_model},
      StageShape{projected, attention, "projected", Axis::query_tokens, Axis::d_model},
      StageShape{output_norm_gain, attention, "output_norm.gain", Axis::single, Axis::d_model, gain},
      StageShape{output_norm_bias, attention, "output_norm.bias", Axis::single, Axis::d_model, offset},
      StageShape{output_norm, attention, "output_norm", Axis::query_tokens, Axis::d_model},
      StageShape{residual, attention, "residual", Axis::query_tokens, Axis::d_model},
      StageShape{normed, attention, "normed", Axis::query_tokens, Axis::d_model},
      StageShape{feed_forward_norm_gain, layer, "feed_forward.norm.gain", Axis::single, Axis::d_model, gain},
      StageShape{feed_forward_norm_bias, layer, "feed_forward.norm.bias", Axis::single, Axis::d_model,
                 offset},
      StageShape{feed_forward_norm, layer, "feed_forward.norm", Axis::query_tokens, Axis::d_model},
      StageShape{w_router, layer, "feed_forward.router.W", Axis::d_model, Axis::experts, weight},
      StageShape{b_router, layer, "feed_forward.router.b", Axis::single, Axis::experts, bias},
      StageShape{router_correction, layer, "feed_forward.router.correction", Axis::single, Axis::experts,
                 gain},
      StageShape{router_logits, layer, "feed_forward.router_logits", Axis::query_tokens, Axis::experts},
      StageShape{w_shared_gate, layer, "feed_forward.shared_gate.W", Axis::d_model, Axis::single, weight},
      StageShape{shared_gate, layer, "feed_forward.shared_gate", Axis::query_tokens, Axis::single},
      StageShape{expert_shares, layer, "feed_forward.shares", Axis::query_tokens, Axis::all_experts},
      StageShape{w_1, layer, "feed_forward.W_1", Axis::d_model, Axis::d_ff, weight},
      StageShape{b_1, layer, "feed_forward.b_1", Axis::single, Axis::d_ff, bias},
      StageShape{hidden, layer, "feed_forward.hidden", Axis::query_tokens, Axis::d_ff},
      StageShape{activated, layer, "feed_forward.activated", Axis::query_tokens, Axis::d_ff},
      StageShape{w_up, layer, "feed_forward.W_up", Axis::d_model, Axis::d_ff, weight},
      StageShape{b_up, layer, "feed_forward.b_up", Axis::single, Axis::d_ff, bias},
      StageShape{up, layer, "feed_forward.up", Axis::query_tokens, Axis::d_ff},
      StageShape{up_shifted, layer, "feed_forward.up_shifted", Axis::query_tokens, Axis::d_ff},
      StageShape{feed_forward_gated, layer, "feed_forward.gated", Axis::query_tokens, Axis::d_ff},
      StageShape{expert_weighted, layer, "feed_forward.weighted", Axis::query_tokens, Axis::d_ff},
      StageShape{w_2, layer, "feed_forward.W_2", Axis::d_ff, Axis::d_model, weight},
      StageShape{b_2, layer, "feed_forward.b_2", Axis::single, Axis::d_model, bias},
      StageShape{expert_biases, layer, "feed_forward.B_2", Axis::all_experts, Axis::d_model, table},
      StageShape{feed_forward_output, layer, "feed_forward.output", Axis::query_tokens, Axis::d_model},
      StageShape{feed_forward_output_norm_gain, layer, "feed_forward.output_norm.gain", Axis::single,
                 Axis::d_model, gain},
      StageShape{feed_forward_output_norm_bias, layer, "feed_forward.output_norm.bias", Axis::single,
                 Axis::d_model, offset},
      StageShape{feed_forward_output_norm, layer, "feed_forward.output_norm", Axis::query_tokens,
                 Axis::d_model},
      StageShape{feed_forward_residual, layer, "feed_forward.residual", Axis::query_tokens, Axis::d_model},
      StageShape{feed_forward_normed, layer, "feed_forward.normed", Axis::query_tokens, Axis::d_model},
      StageShape{layer_output, layer, "output", Axis::query_tokens, Axis::d_model},
      StageShape{final_norm_gain, stack, "norm.gain", Axis::single, Axis::d_model, gain},
      StageShape{final_norm_bias, stack, "norm.bias", Axis::single, Axis::d_model, offset},
      StageShape{stack_output, stack, "output", Axis::query_tokens, Axis::d_model},
      StageShape{w_transform, model, "transform.W", Axis::d_model, Axis::embedding, weight},
      StageShape{b_transform, model, "transform.b", Axis::single, Axis::embedding, bias},
      StageShape{transform_hidden, model, "transform.hidden", Axis::query_tokens, Axis::embedding},
      StageShape{transform_activated, model, "transform.activated", Axis::query_tokens, Axis::embedding},
      StageShape{transform_norm_gain, model, "transform.norm.gain", Axis::single, Axis::embedding, gain},
      StageShape{transform_norm_bias, model, "transform.norm.bias", Axis::single, Axis::embedding, offset},
      StageShape{transform_output, model, "transform.output", Axis::query_tokens, Axis::embedding},
      StageShape{w_logits, model, "logits.W", Axis::output_row, Axis::vocabulary, word_weight},
      StageShape{b_logits, model, "logits.b", Axis::single, Axis::vocabulary, word_bias},
      StageShape{logits, model, "logits", Axis::query_tokens, Axis::vocabulary},
      StageShape{probabilities, model, "probabilities", Axis::query_tokens, Axis::vocabulary},
  };
}();

constexpr const StageShape& shape_of(StageKind kind) {
  return stage_shapes[index_of(kind)];
}

/// Whether the elements along an axis are tokens.
inline bool is_token_axis(Axis axis) {
  return axis == Axis::query_tokens || axis == Axis::key_tokens;
}
/// Whether a stage is a map [queries, keys].
constexpr bool is_map(StageKind kind) {
  return shape_of(kind).rows == Axis::query_tokens && shape_of(kind).cols == Axis::key_tokens;
}

/// Identifies a stage of a pass. Fields not used by its kind must be 0, so that ids compare equal; see
/// normalized().
struct StageId {
  StageKind kind = StageKind::weights;
  Stack stack = Stack::encoder;
  int layer = 0;
  AttentionKind attention = AttentionKind::self;
  int head = 0;
  auto operator<=>(const StageId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// Sets the fields not used by the kind to 0.
constexpr StageId normalized(StageId id) {
  const StageScope scope = shape_of(id.kind).scope;
  if (scope < StageScope::head) id.head = 0;
  if (scope < StageScope::attention) id.attention = AttentionKind::self;
  if (scope < StageScope::layer) id.layer = 0;
  if (scope < StageScope::stack) id.stack = Stack::encoder;
  return id;
}

/// The id of the same stage in another layer. Ids of stages outside of layers are unchanged.
constexpr StageId with_layer(StageId id, int layer) {
  if (shape_of(id.kind).scope >= StageScope::layer) id.layer = layer;
  return id;
}

/// The id under which a stage is stored: a stage shared by several heads is stored for the first of them.
StageId canonical(const Architecture& architecture, StageId id);

/// The path of a stage: "encoder.layers.0.self.heads.3.weights". parse_path() is its inverse.
std::string path(const StageId& id);
std::optional<StageId> parse_path(std::string_view path);
/// The path of the canonical() stage. Strings that are not paths are unchanged.
std::string canonical_path(const Architecture& architecture, const std::string& path);

/// Parses the name of a kind ("weights", "W_Q"). If a name occurs in several scopes (input, output), the
/// innermost wins: head, attention, layer, stack, model.
std::optional<StageKind> parse_stage_kind(std::string_view name);

/// Whether the rows of a stage are queries, or keys of self-attention, which are the same tokens.
inline bool has_query_rows(const StageId& stage) {
  const Axis rows = shape_of(stage.kind).rows;
  return rows == Axis::query_tokens || (rows == Axis::key_tokens && stage.attention == AttentionKind::self);
}

/// Whether a position table holds biases by distance rather than a row per position.
inline bool is_bias_table(const Architecture& architecture, const StageId& id) {
  return id.kind == StageKind::stack_positions_table || architecture.positions == Positions::relative;
}

/// The relative position table of a layer, and the learned position table of a stack.
inline StageId bias_table_of(const Architecture& a, Stack stack, int layer) {
  const StageKind kind = a.has_per_layer_bias_tables()   ? StageKind::layer_biases_table
                         : a.has_per_stack_bias_tables() ? StageKind::stack_positions_table
                                                         : StageKind::positions_table;
  return normalized({kind, stack, layer});
}
inline StageId row_table_of(const Architecture& a, Stack stack) {
  const bool is_own = a.has_per_stack_position_rows();
  return normalized({is_own ? StageKind::stack_position_rows : StageKind::positions_table, stack});
}

/// The sizes that determine the shapes of stages.
struct AxisSizes {
  const Architecture& architecture;
  int table_rows = 0;  ///< rows of the embedding table; 0 if there is none
  int n_words = 0;     ///< words of the final linear layer
  int n_source = 0;    ///< tokens of the first stack
  int n_target = 0;    ///< tokens of the decoder if there are two stacks
};

/// The length of an axis of a stage. The architecture must be valid and have the stage.
int axis_length(const AxisSizes& sizes, const StageId& stage, Axis axis);

}  // namespace headscope
