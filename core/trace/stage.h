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

/// Every kind of intermediate and parameter that a forward pass has, in the order of computation: a stage
/// comes after all that it is computed from. What the program knows of each is in its record
/// (stage_record.h).
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

/// How far a stage repeats: once in the model, once in each stack, layer, attention, or head.
enum class StageScope { model, stack, layer, attention, head };

/// What runs along an axis of a stage.
enum class Axis {
  query_tokens,
  key_tokens,
  d_model,
  embedding,   ///< of embeddings and what is added to them: d_model, unless these are projected to it
  output_row,  ///< of what the final linear layer reads: d_model, or what a transform makes of it
  segments,
  d_head,
  d_value,
  latent,      ///< of the row that keys and values are made from, where that is no row of the model
  shared_key,  ///< the dimensions of a key that all heads share
  kv_input,    ///< what keys and values are made from: d_model, or a latent
  own_key,     ///< the dimensions of a key that are a head's own: d_head, or what follows the shared ones
  concat,
  d_ff,
  single,
  vocabulary,
  table_rows,     ///< of the embedding table
  position_rows,  ///< of the positions' table: positions, or heads where it holds relative biases
  position_cols   ///< dimensions, or distances
};

/// "tokens", "d_head", "heads × d_value": the name of an axis for people.
std::string_view axis_name(Axis axis);
/// The axis that kv_input stands for in a model; any other is itself.
Axis axis_in(const Architecture& architecture, Axis axis);

/// The parts of a page that shows all stages of a head, in order.
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

/// What a kind of stage is called and looks like, whatever the pass.
struct StageInfo {
  StageKind kind = StageKind::embedding_table;
  StageScope scope = StageScope::model;
  std::string_view name = {};     ///< last part of the path, "weights"
  std::string_view symbol = {};   ///< what a formula calls it, "A"
  std::string_view title = {};    ///< a heading, "Attention weights"
  std::string_view formula = {};  ///< with symbols, "softmax(M) over keys"
  /// What all heads compute together. Letters: t query, s key, h head, d d_model, k d_head, v d_value, f
  /// d_ff, w word, c latent, r shared key. Empty where there is none.
  std::string_view einsum = {};
  /// The same with a batch, in the letters that annotated implementations use (i query, j key, b batch, h
  /// head, d dimension); empty where there is none.
  std::string_view batch_einsum = {};
  Axis rows = Axis::single;
  Axis cols = Axis::single;
  bool is_signed = true;      ///< diverging colours about zero; otherwise sequential from zero
  bool is_parameter = false;  ///< a weight or bias: does not depend on the sentence
  bool is_share = false;      ///< shares of attention: none where the mask hides the cell
  bool of_group = false;      ///< heads that share keys and values have it once
  bool repeats = false;       ///< a second name for another stage's numbers
  /// Its name among the few steps that the tabs show without details; empty where it is not one of them.
  std::string_view landmark = {};
  std::string_view tab =
      {};  ///< its short name for people where `name` is not what they say, or is that of several
  PageSection section = PageSection::none;
  std::string_view meaning = {};  ///< one sentence for a newcomer
};

const StageInfo& info(StageKind kind);

/// "einsum thk,shk->hts, with a batch ibhd,jbhd->ijbh"; empty where there is none.
std::string einsum_text(StageKind kind);
std::span<const StageInfo> all_stage_kinds();

/// Whether tokens run along an axis.
inline bool runs_over_tokens(Axis axis) {
  return axis == Axis::query_tokens || axis == Axis::key_tokens;
}
/// Whether a stage is a map of queries and keys.
bool is_map(StageKind kind);

/// Names one stage of a pass. Fields beyond the kind's scope are 0, so that equal stages compare equal.
struct StageId {
  StageKind kind = StageKind::weights;
  Stack stack = Stack::encoder;
  int layer = 0;
  AttentionKind attention = AttentionKind::self;
  int head = 0;
  auto operator<=>(const StageId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// `id` with the fields that its kind does not use set to 0.
StageId normalized(StageId id);

/// The id by which a stage goes: what several heads share is the first one's. An id with another of these
/// heads means the same numbers.
StageId canonical(const Architecture& architecture, StageId id);

/// "encoder.layers.0.self.heads.3.weights". Inverse of parse_path.
std::string path(const StageId& id);
std::optional<StageId> parse_path(std::string_view path);
/// The path of canonical(); a text that is no path stays as it is.
std::string canonical_path(const Architecture& architecture, const std::string& path);

/// The kind with this name ("weights", "W_Q"); nothing where none has it. Where scopes share a name
/// (input, output) the innermost wins: head, attention, layer, stack, model.
std::optional<StageKind> kind_named(std::string_view name);

}  // namespace headscope
