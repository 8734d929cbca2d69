#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_count.h"
#include "core/model/architecture.h"

namespace headscope {

/// Every kind of intermediate result and parameter of a forward pass, in the order of computation: a stage
/// comes after everything that it is computed from. The record of each kind (stage_record.h) holds all that
/// the program knows about it.
enum class StageKind {
  embedding_table,
  positions_table,
  stack_positions_table,
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
  sink,
  query_norm_gain,
  key_norm_gain,
  w_latent,
  latent_norm_gain,
  w_shared_key,
  latent,
  normed_latent,
  shared_key,
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
  w_1,
  b_1,
  hidden,
  activated,
  w_up,
  b_up,
  up,
  feed_forward_gated,
  w_2,
  b_2,
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

/// The quantity that runs along an axis of a stage.
enum class Axis {
  query_tokens,
  key_tokens,
  d_model,
  /// Dimensions of the embeddings and of what is added to them: d_model unless they are projected to it.
  embedding,
  output_row,  ///< dimensions that the final linear layer reads: d_model unless a transform changes them
  segments,
  d_head,
  d_value,
  latent,      ///< dimensions of the row that keys and values are made from if it is not a row of the model
  shared_key,  ///< the dimensions of a key that all heads share
  kv_input,    ///< dimensions of the row that keys and values are made from: d_model or latent
  own_key,     ///< the dimensions of a key that belong to its head: d_head, or those after the shared ones
  concat,
  d_ff,
  single,
  vocabulary,
  table_rows,     ///< rows of the embedding table
  position_rows,  ///< rows of the table of positions: positions, or heads if it contains relative biases
  position_cols   ///< columns of that table: dimensions or distances
};

/// The name of an axis for people: "tokens", "d_head", "heads × d_value".
std::string_view axis_name(Axis axis);
/// The axis that kv_input stands for in a model. Any other axis is returned unchanged.
Axis axis_in(const Architecture& architecture, Axis axis);

/// The sections of the page that shows all stages of a head, in order.
enum class PageSection {
  none,
  model_input,
  layer_input,
  projections,
  scores,
  weights,
  model_width,
  feed_forward,
  model_output
};

/// The names and properties of a kind of stage, which do not depend on the pass.
struct StageInfo {
  StageKind kind = StageKind::embedding_table;
  StageScope scope = StageScope::model;
  std::string_view name = {};     ///< the last part of the path: "weights"
  std::string_view symbol = {};   ///< the name in formulas: "A"
  std::string_view title = {};    ///< a heading: "Attention weights"
  std::string_view formula = {};  ///< written with symbols: "softmax(M) over keys"
  /// The computation of all heads together. The letters are t query, s key, h head, d d_model, k d_head, v
  /// d_value, f d_ff, w word, c latent, r shared key. Empty if there is none.
  std::string_view einsum = {};
  /// The same with a batch, in the letters that annotated implementations use (i query, j key, b batch, h
  /// head, d dimension). Empty if there is none.
  std::string_view batch_einsum = {};
  Axis rows = Axis::single;
  Axis cols = Axis::single;
  /// Whether colours diverge from zero; otherwise they are sequential and start at zero.
  bool is_signed = true;
  bool is_parameter = false;  ///< whether it is a weight or bias, which does not depend on the sentence
  bool is_share = false;      ///< whether it holds shares of attention, which hidden cells do not have
  bool of_group = false;      ///< whether heads that share keys and values have it only once
  bool repeats = false;       ///< whether it is a second name for the numbers of another stage
  /// The name among the few steps that the tabs show without details. Empty if it is not one of these steps.
  std::string_view landmark = {};
  /// The short name shown to people. Empty if `name` is the usual term and no other stage has that name.
  std::string_view tab = {};
  PageSection section = PageSection::none;
  std::string_view meaning = {};  ///< one sentence for a newcomer
};

const StageInfo& info(StageKind kind);

/// The einsums in words: "einsum thk,shk->hts, with a batch ibhd,jbhd->ijbh". Empty if there is none.
std::string einsum_text(StageKind kind);
std::span<const StageInfo> all_stage_kinds();

/// Whether the elements of an axis are tokens.
inline bool runs_over_tokens(Axis axis) {
  return axis == Axis::query_tokens || axis == Axis::key_tokens;
}
/// Whether a stage is a map with a row for each query and a column for each key.
bool is_map(StageKind kind);

/// Identifies one stage of a pass. Fields that its kind does not use are 0, which makes equal stages compare
/// equal.
struct StageId {
  StageKind kind = StageKind::weights;
  Stack stack = Stack::encoder;
  int layer = 0;
  AttentionKind attention = AttentionKind::self;
  int head = 0;
  auto operator<=>(const StageId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// Returns `id` with the fields that its kind does not use set to 0.
StageId normalized(StageId id);

/// Returns the id under which a stage is stored. A stage that several heads share belongs to the first of
/// them; the ids with the other heads refer to the same numbers.
StageId canonical(const Architecture& architecture, StageId id);

/// The path of a stage: "encoder.layers.0.self.heads.3.weights". parse_path() is its inverse.
std::string path(const StageId& id);
std::optional<StageId> parse_path(std::string_view path);
/// The path of the canonical() stage. Returns a text that is not a path unchanged.
std::string canonical_path(const Architecture& architecture, const std::string& path);

/// The kind with this name ("weights", "W_Q"). No value if no kind has it. If several scopes share the name
/// (input, output), the innermost wins: head, attention, layer, stack, model.
std::optional<StageKind> kind_named(std::string_view name);

/// Whether the rows of a stage are the tokens that attend: the queries, or the keys of self-attention, which
/// are the same tokens.
inline bool has_rows_of_queries(const StageId& stage) {
  const Axis rows = info(stage.kind).rows;
  return rows == Axis::query_tokens || (rows == Axis::key_tokens && stage.attention == AttentionKind::self);
}

/// The quantities that the sizes of stages depend on.
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
