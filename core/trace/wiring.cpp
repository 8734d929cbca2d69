#include "core/trace/wiring.h"

#include "core/model/model.h"

namespace headscope {
namespace {

using enum StageKind;

StageId with_kind(StageId id, StageKind kind) {
  id.kind = kind;
  return normalized(id);
}

/// The last of these kinds that the pass has at the place of a stage.
StageId last_there(const Trace& trace, const StageId& id, std::initializer_list<StageKind> kinds) {
  StageId last = id;
  for (const StageKind kind : kinds) {
    const StageId candidate = with_kind(id, kind);
    if (trace.has(candidate)) last = candidate;
  }
  return last;
}

bool belongs_to_feed_forward(StageKind kind) {
  return kind >= feed_forward_norm_gain && kind <= feed_forward_normed;
}

/// Where the output of the stack's last layer is, before a final norm.
StageId last_layer_output(const Trace& trace, StageId id) {
  id.layer = trace.architecture().n_layers - 1;
  return with_kind(id, layer_output);
}

StageId model_output(const Trace& trace) {
  return {.kind = stack_output, .stack = trace.architecture().last_stack()};
}

StageId of_previous_layer(StageId id) {
  if (id.layer == 0) return with_kind(id, input);
  --id.layer;
  return with_kind(id, layer_output);
}

StageId layer_result(const Trace& trace, StageId id) {
  const StageId feed_forward =
      last_there(trace, id, {feed_forward_output, feed_forward_residual, feed_forward_normed});
  if (feed_forward.kind != id.kind) return feed_forward;
  id.attention = id.stack == Stack::decoder && trace.architecture().has_cross() ? AttentionKind::cross
                                                                                : AttentionKind::self;
  return attention_result(trace, id);
}

std::vector<StageId> possible_inputs(const Trace& trace, const StageId& id) {
  const auto same = [&id](StageKind kind) { return with_kind(id, kind); };
  switch (id.kind) {
    case embedding:
      return {{.kind = embedding_table}};
    case positions:
      return {{.kind = positions_table}};
    case input:
      return {same(embedding), same(positions)};
    case layer_input:
      return {of_previous_layer(id)};
    case norm:
      return {sublayer_input(trace, id), same(norm_gain), same(norm_bias)};
    case query:
      return {projected_from(trace, id), same(w_query), same(b_query)};
    case key:
      return {projected_from(trace, id), same(w_key), same(b_key)};
    case value:
      return {projected_from(trace, id), same(w_value), same(b_value)};
    case rotated_query:
      return {same(query)};
    case rotated_key:
      return {same(key)};
    case raw:
      return {last_there(trace, id, {query, rotated_query}), last_there(trace, id, {key, rotated_key})};
    case scaled:
      return {same(raw)};
    case position_bias:
      return {{.kind = positions_table}};
    case masked:
      return {same(scaled), same(position_bias)};
    case weights:
      return {same(masked)};
    case dropped:
      return {same(weights)};
    case output:
      return {last_there(trace, id, {weights, dropped}), same(value)};
    case contribution:
      return {same(output), same(w_output)};
    case projected:
      return {same(concat), same(w_output), same(b_output)};
    case residual:
      return {sublayer_input(trace, id), same(projected)};
    case normed:
      return {last_there(trace, id, {projected, residual}), same(norm_gain), same(norm_bias)};
    case feed_forward_norm:
      return {sublayer_input(trace, id), same(feed_forward_norm_gain), same(feed_forward_norm_bias)};
    case hidden:
      return {projected_from(trace, id), same(w_1), same(b_1)};
    case activated:
      return {same(hidden)};
    case feed_forward_output:
      return {same(activated), same(w_2), same(b_2)};
    case feed_forward_residual:
      return {sublayer_input(trace, id), same(feed_forward_output)};
    case feed_forward_normed:
      return {last_there(trace, id, {feed_forward_output, feed_forward_residual}),
              same(feed_forward_norm_gain), same(feed_forward_norm_bias)};
    case layer_output:
      return {layer_result(trace, id)};
    case stack_output:
      return {last_layer_output(trace, id), same(final_norm_gain), same(final_norm_bias)};
    case logits:
      return {model_output(trace), {.kind = w_logits}, {.kind = b_logits}};
    case probabilities:
      return {same(logits)};
    default:
      return {};
  }
}

std::vector<StageId> all_heads_outputs(const Trace& trace, StageId id) {
  std::vector<StageId> ids;
  for (id.head = 0; id.head < trace.architecture().n_heads; ++id.head) ids.push_back(with_kind(id, output));
  return ids;
}

}  // namespace

std::vector<StageId> inputs_of(const Trace& trace, const StageId& id) {
  if (id.kind == concat) return all_heads_outputs(trace, id);
  std::vector<StageId> inputs = possible_inputs(trace, id);
  std::erase_if(inputs, [&trace](const StageId& input) { return !trace.has(input); });
  return inputs;
}

StageId sublayer_input(const Trace& trace, const StageId& id) {
  if (belongs_to_feed_forward(id.kind)) {
    StageId before = id;
    before.attention = id.stack == Stack::decoder && trace.architecture().has_cross() ? AttentionKind::cross
                                                                                      : AttentionKind::self;
    return attention_result(trace, before);
  }
  if (id.attention == AttentionKind::self) return with_kind(id, layer_input);
  StageId self = id;
  self.attention = AttentionKind::self;
  return attention_result(trace, self);
}

StageId projected_from(const Trace& trace, const StageId& id) {
  const bool from_memory = id.attention == AttentionKind::cross &&
                           (id.kind == key || id.kind == value || id.kind == w_key || id.kind == w_value);
  if (from_memory) return {.kind = stack_output, .stack = Stack::encoder};
  const StageId normalised = with_kind(id, belongs_to_feed_forward(id.kind) ? feed_forward_norm : norm);
  return trace.has(normalised) ? normalised : sublayer_input(trace, id);
}

StageId attention_result(const Trace& trace, const StageId& id) {
  return last_there(trace, with_kind(id, projected), {residual, normed});
}

std::string why_absent(const Trace& trace, StageKind kind, AttentionKind attention) {
  const Architecture& a = trace.architecture();
  const auto unless = [](bool there, const char* reason) { return std::string(there ? "" : reason); };
  const bool is_self = attention == AttentionKind::self;
  switch (kind) {
    case b_query:
      return unless(a.bias.query, "this projection has no bias");
    case b_key:
      return unless(a.bias.key, "this projection has no bias");
    case b_value:
      return unless(a.bias.value, "this projection has no bias");
    case w_output:
    case contribution:
      return unless(a.output_projection, "the output projection is off");
    case b_output:
      if (!a.output_projection) return "the output projection is off";
      return unless(a.bias.output, "this projection has no bias");
    case positions:
      return unless(a.adds_positions(), a.positions == Positions::none
                                            ? "positions are off"
                                            : "these positions are not added to the embeddings");
    case positions_table:
      return unless(trace.model().positions_table.size() > 0, "these positions have no table");
    case rotated_query:
    case rotated_key:
      return unless(a.positions == Positions::rotary && is_self, "positions are not rotary here");
    case position_bias:
      return unless(a.biases_positions() && is_self, "positions add no bias to the scores here");
    case dropped:
      return unless(trace.options().drops(), "dropout applies only in training");
    case residual:
      return unless(a.residual, "there are no residual connections");
    case norm:
      return unless(a.norm == Norm::pre, "there is no norm before the sublayers");
    case normed:
      return unless(a.norm == Norm::post, "there is no norm after the sublayers");
    case norm_gain:
    case norm_bias:
      return unless(a.norm != Norm::none, "there are no layer norms");
    case feed_forward_norm:
      return unless(a.norm == Norm::pre && a.d_ff > 0, "there is no norm before a feed-forward layer");
    case feed_forward_normed:
      return unless(a.norm == Norm::post && a.d_ff > 0, "there is no norm after a feed-forward layer");
    case feed_forward_norm_gain:
    case feed_forward_norm_bias:
      return unless(a.norm != Norm::none && a.d_ff > 0, "there is no norm around a feed-forward layer");
    case feed_forward_residual:
      return unless(a.residual && a.d_ff > 0, "no feed-forward layer has a residual connection");
    case w_1:
    case b_1:
    case hidden:
    case activated:
    case w_2:
    case b_2:
    case feed_forward_output:
      return unless(a.d_ff > 0, "there is no feed-forward layer");
    case final_norm_gain:
    case final_norm_bias:
      return unless(a.norm == Norm::pre, "there is no norm after the last layer");
    case b_logits:
      if (a.output_layer == OutputLayer::none) return "there is no final linear layer";
      return unless(a.output_bias, "the final linear layer has no bias");
    case w_logits:
    case logits:
    case probabilities:
      return unless(a.output_layer != OutputLayer::none, "there is no final linear layer");
    case embedding_table:
      return unless(trace.model().embedding_table.size() > 0,
                    "each word's row is drawn from the word itself; only the seed1 tokenizer has a table");
    default:
      return {};
  }
}

}  // namespace headscope
