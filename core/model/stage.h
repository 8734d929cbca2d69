#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/enum_count.h"
#include "core/model/architecture.h"

namespace headscope {

/// The kinds of stages, in the order of their records.
enum class StageKind {
#define PARAMETER(kind, ...) kind,
#define STAGE(kind, ...) kind,
#include "core/model/stage_records-inl.h"
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
  dense_ff,     ///< hidden numbers of a dense feed-forward layer beside experts
  single,
  vocabulary,
  table_rows,        ///< rows of the embedding table
  position_rows,     ///< rows of a position table: positions, or heads if it contains biases
  position_cols,     ///< columns of a position table: dimensions, or distances
  layer_rows,        ///< rows of the table of the layers' embeddings
  layer_input,       ///< dimensions of what enters a layer besides its input
  all_layer_inputs,  ///< those of all layers
  streams,           ///< streams of rows
  squared_streams,   ///< pairs of them
  other_streams,     ///< dimensions of all streams but the first
  laurel,            ///< the rank of LAuReL
  distances          ///< key − query of all pairs of tokens, from −(T − 1) to T − 1
};

/// The kind of a parameter. random_model() documents how each kind is drawn.
enum class ParameterKind : std::uint8_t {
  none,         ///< the stage is no parameter
  weight,       ///< of a linear layer
  bias,         ///< of a linear layer
  gain,         ///< of a norm; also the correction of a router
  offset,       ///< the bias of a norm
  sink_score,   ///< the score of an attention sink
  table,        ///< of positions, segments or the biases of experts
  word_table,   ///< the embedding table, and that of the layers
  word_weight,  ///< of the final linear layer
  word_bias     ///< of the final linear layer
};

/// The sections of the page of all stages of a head, in order.
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

/// Properties that most kinds of stages lack, mostly of their display.
struct StageTraits {
  bool is_per_group = false;  ///< whether heads of a group share it
  /// The short display name. Empty if `name` is usual and unambiguous.
  std::string_view tab = {};
  /// The name in the tabs when details are off. Empty if not shown there.
  std::string_view landmark = {};
  /// Whether the colour map is diverging around 0, not sequential from 0.
  bool is_signed = true;
  bool is_share = false;  ///< whether it holds attention weights, which hidden cells lack
  bool repeats = false;   ///< whether it only repeats another stage
  /// The template of a sentence about a cell, with placeholders such as {query} and {value}
  /// (describe_cell()). Empty if the generic sentence for its axes suffices.
  std::string_view sentence = {};
};

/// A kind of stage: where it occurs, its axes, and its texts, independent of the pass.
struct StageInfo : StageTraits {
  StageKind kind = StageKind::embedding_table;
  StageScope scope = StageScope::model;
  std::string_view name = {};  ///< the last part of the path: "weights"
  Axis rows = Axis::single;
  Axis cols = Axis::single;
  ParameterKind parameter = ParameterKind::none;
  std::string_view symbol = {};   ///< the name in formulas: "A"
  std::string_view title = {};    ///< a heading: "Attention weights"
  std::string_view meaning = {};  ///< one sentence for newcomers
  PageSection section = PageSection::none;

  /// Whether it is a parameter, which does not depend on the sentence.
  constexpr bool is_parameter() const { return parameter != ParameterKind::none; }
};

const StageInfo& info(StageKind kind);
/// The records of all kinds, in order.
std::span<const StageInfo> all_stage_kinds();

/// The words of an axis.
struct AxisInfo {
  std::string_view name;  ///< For people: "tokens", "d_head", "heads × d_value"
  /// In an einsum, without the head: t queries, s keys, d model, k head, v values, c latent, r rotary, e
  /// embedding or experts, f hidden, w words, p distances. Empty if it occurs in none.
  std::string_view letters = {};
  std::string_view setting = {};  ///< The setting that is its length. Empty if there is none.
};
const AxisInfo& info(Axis axis);
/// The axis that an input of a projection, an embedding or an output row has in a model. Others are
/// unchanged.
Axis axis_in(const Architecture& architecture, Axis axis);

/// Whether the elements along an axis are tokens.
inline bool is_token_axis(Axis axis) {
  return axis == Axis::query_tokens || axis == Axis::key_tokens;
}
/// Whether a stage is a map [queries, keys].
inline bool is_map(StageKind kind) {
  return info(kind).rows == Axis::query_tokens && info(kind).cols == Axis::key_tokens;
}

/// What leaves a layer where a kind enters the next one.
inline StageKind before(StageKind entering) {
  return entering == StageKind::streams_input ? StageKind::streams_output : StageKind::layer_output;
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
inline StageId normalized(StageId id) {
  const StageScope scope = info(id.kind).scope;
  if (scope < StageScope::head) id.head = 0;
  if (scope < StageScope::attention) id.attention = AttentionKind::self;
  if (scope < StageScope::layer) id.layer = 0;
  if (scope < StageScope::stack) id.stack = Stack::encoder;
  return id;
}

/// The id of the same stage in another layer. Ids of stages outside of layers are unchanged.
inline StageId with_layer(StageId id, int layer) {
  if (info(id.kind).scope >= StageScope::layer) id.layer = layer;
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
  const Axis rows = info(stage.kind).rows;
  return rows == Axis::query_tokens || (rows == Axis::key_tokens && stage.attention == AttentionKind::self);
}

/// ε of a norm: that of latents may differ from the others.
inline float norm_epsilon(const Architecture& a, StageKind kind) {
  const bool is_of_latent = kind == StageKind::normed_latent || kind == StageKind::normed_query_latent;
  return is_of_latent ? a.foreign.latent_norm_epsilon.value_or(a.norm_epsilon) : a.norm_epsilon;
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
