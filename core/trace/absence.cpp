#include "core/trace/absence.h"

#include "core/trace/number_text.h"
#include "core/trace/stage_record.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

std::string stacks_text(Stacks stacks) {
  if (stacks == Stacks::encoder_decoder || stacks == Stacks::cross)
    return "the model has an encoder and a decoder";
  return stacks == Stacks::encoder ? "the model has only an encoder" : "the model has only a decoder";
}

/// Checks that the model has the stack, the layers and the attention that the scope of a stage asks for.
Absence absence_of_scope(const Architecture& a, const StageId& id) {
  const StageScope scope = info(id.kind).scope;
  if (scope >= StageScope::stack && !a.has(id.stack)) return Absence::no_such_stack;
  if (scope >= StageScope::attention && !a.has(id.stack, id.attention)) {
    return id.attention == AttentionKind::cross ? Absence::no_cross_attention : Absence::no_self_attention;
  }
  if (scope >= StageScope::layer && a.layers_of(id.stack) == 0) return Absence::no_layers;
  return Absence::none;
}

/// Whether a capture holds the numbers of a stage, or those from which it is computed. A capture covers a
/// single stack.
bool is_captured(const Architecture& a, const StageId& id) {
  if (info(id.kind).scope >= StageScope::stack && id.stack != a.last_stack()) return false;
  // A norm may already have been applied to the captured output of the last layer, so it is known only as the
  // stack's output.
  if (id.kind == StageKind::layer_output && id.layer == a.layers_of(id.stack) - 1) return false;
  if (is_read_from_capture(a, id.kind)) return true;
  const CapturedParts& parts = *a.foreign.captured;
  using enum StageKind;
  switch (id.kind) {
    // Captured weights need not be the softmax of the queries and keys captured with them.
    case raw:
    case scaled:
    case masked:
      return parts.projections && !parts.weights;
    case weights:
      return parts.weights || parts.projections;
    case output:
    case concat:
      return parts.values;
    default:
      return false;
  }
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

}  // namespace

bool is_read_from_capture(const Architecture& a, StageKind kind) {
  if (!a.foreign.captured) return false;
  const CapturedParts& parts = *a.foreign.captured;
  using enum StageKind;
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

Absence absence_of(const PassTraits& pass, const StageId& id) {
  const Architecture& a = pass.architecture;
  if (id.head < 0 || id.head >= a.n_heads) return Absence::head_out_of_range;
  if (id.layer < 0 || id.layer >= a.n_layers) return Absence::layer_out_of_range;
  if (const Absence absence = absence_of_scope(a, id); absence != Absence::none) return absence;
  if (id != normalized(id)) return Absence::unused_place;
  if (a.foreign.captured && !is_captured(a, id)) return Absence::not_captured;
  const StageRecord& record = record_of(id.kind);
  return record.absent == nullptr ? Absence::none : record.absent(pass, id);
}

std::string absence_text(const Trace& trace, Absence absence) {
  return absence_text(trace.architecture(), absence);
}

std::string absence_text(const Architecture& a, Absence absence) {
  switch (absence) {
    case Absence::none:
      return {};
    case Absence::unused_place:
      return "where a stage has no head, layer or attention, its index must be 0";
    case Absence::head_out_of_range:
      return "the model has " + counted(a.n_heads, "head") + ", counted from 0";
    case Absence::layer_out_of_range:
      return "the model has " + counted(a.n_layers, "layer") + ", counted from 0";
    case Absence::no_such_stack:
      return stacks_text(a.stacks);
    case Absence::no_layers:
      return "a model of cross-attention alone has an encoder without layers";
    case Absence::no_self_attention:
      return "the model has only cross-attention";
    case Absence::no_cross_attention:
      return "only a decoder with an encoder has cross-attention";
    case Absence::not_computed_yet:
      return "it has not been computed";
    case Absence::no_embedding_table:
      return "each word's row is drawn from the word itself; only the seed1 tokenizer has a table";
    case Absence::no_positions:
      return "positions are off";
    case Absence::positions_not_added:
      return "these positions are not added to the embeddings";
    case Absence::no_positions_table:
      return "these positions have no table";
    case Absence::position_tables_of_stacks:
      return "the encoder and the decoder each have a table of relative positions: encoder.positions.biases and decoder.positions.biases";
    case Absence::no_position_tables_of_stacks:
      return "only an encoder and a decoder with relative positions have a table each";
    case Absence::positions_do_not_rotate:
      return "positions are not rotary here";
    case Absence::positions_add_no_bias:
      return "positions add no bias to the scores here";
    case Absence::no_linear_attention:
      return "attention uses softmax and is not linear";
    case Absence::linear_has_no_scale:
      return "linear attention divides scores by their sum, so a scale would cancel out";
    case Absence::no_softcap:
      return "scores are not capped";
    case Absence::no_sinks:
      return "there are no sinks: the heads have none, or softmax runs over queries";
    case Absence::no_qk_norm:
      return "queries and keys are not normalised";
    case Absence::no_output_gate:
      return "heads' outputs have no gate";
    case Absence::no_latent:
      return "keys and values are not made from a latent";
    case Absence::no_shared_key:
      return "heads share no key: this requires a latent of keys and values and rotary positions";
    case Absence::gate_weighs_values:
      return "the gate weighs the same value differently for each query";
    case Absence::no_norms:
      return "there are no norms";
    case Absence::no_norm_bias:
      return "RMS norm has no bias";
    case Absence::no_norm_before:
      return "there is no norm before the sublayers";
    case Absence::no_norm_after:
      return "there is no norm after the sublayers";
    case Absence::no_output_norm:
      return "the sublayers' outputs are not normalised before they are added";
    case Absence::no_final_norm:
      return "there is no norm after the last layer";
    case Absence::no_bias:
      return "this linear layer has no bias";
    case Absence::no_output_projection:
      return "the output projection is off";
    case Absence::no_dropout:
      return "dropout applies only in training";
    case Absence::no_residual:
      return "there are no residual connections";
    case Absence::no_feed_forward:
      return "there is no feed-forward layer";
    case Absence::no_norm_around_feed_forward:
      return "there is no norm around a feed-forward layer";
    case Absence::shared_norm:
      return "the feed-forward layer reads the output of attention's norm";
    case Absence::not_gated:
      return "the feed-forward layer is not gated";
    case Absence::no_norm_before_feed_forward:
      return "there is no norm before a feed-forward layer";
    case Absence::no_norm_after_feed_forward:
      return "there is no norm after a feed-forward layer";
    case Absence::no_feed_forward_residual:
      return "no feed-forward layer has a residual connection";
    case Absence::no_output_layer:
      return "there is no final linear layer";
    case Absence::no_output_bias:
      return "the final linear layer has no bias";
    case Absence::no_segments:
      return "the model has no segments";
    case Absence::no_embedding_norm:
      return "embeddings are not normalised";
    case Absence::no_embedding_projection:
      return "embeddings are already as wide as the model";
    case Absence::sum_is_input:
      return "the sum of the embeddings is the input itself";
    case Absence::no_output_transform:
      return "the final linear layer reads the output of the last layer directly";
    case Absence::not_captured:
      return "the capture holds only " + contents_of(*a.foreign.captured);
  }
  return {};
}

}  // namespace headscope
