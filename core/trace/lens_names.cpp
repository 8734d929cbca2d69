#include "core/trace/lens_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace headscope {
namespace {

using enum StageKind;

/// Whether a model of one stack has a stage in its layers, of which the first may lack a norm, or outside of
/// them.
bool has(const Graph& graph, StageKind kind) {
  const Architecture& a = graph.architecture();
  const int last = std::max(a.layers_of(a.last_stack()) - 1, 0);
  return graph.has(normalized({kind, a.last_stack(), last}));
}

// The models in which a name refers to a stage: those that have, or lack, another stage.
template <StageKind other>
bool beside(const Graph& graph) {
  return has(graph, other);
}
template <StageKind other>
bool without(const Graph& graph) {
  return !has(graph, other);
}
bool adds_learned_positions(const Graph& graph) {
  return has(graph, positions) && !has(graph, segments);
}
bool adds_positions_and_segments(const Graph& graph) {
  return has(graph, positions) && has(graph, segments);
}
bool is_sequential(const Graph& graph) {
  return has(graph, hidden) && !graph.architecture().is_parallel();
}
bool shares_keys(const Graph& graph) {
  const Architecture& a = graph.architecture();
  for (int layer = 0; layer < a.n_layers; ++layer)
    if (a.shares_keys(layer)) return true;
  return false;
}
bool has_keys_of_each_head(const Graph& graph) {
  return !shares_keys(graph);
}

/// A name, with {} for the layer, and its stage in models that have it and satisfy `applies`.
struct LensRecord {
  std::string_view name;
  StageKind kind;
  LensHeads heads = LensHeads::none;
  bool (*applies)(const Graph&) = nullptr;  ///< null for all models
};

constexpr std::string_view layer_mark = "{}";

// In a block whose norms come after the sums, as in BERT, resid_post is the sum before its norm. The outputs
// of attention and of the feed-forward layer are the terms of the sum. If these outputs have norms of their
// own (Gemma 2), they are the normalised outputs.
constexpr std::array lens_records{
    LensRecord{"hook_embed", embedding, LensHeads::none, without<segments>},
    LensRecord{"hook_pos_embed", positions, LensHeads::none, without<segments>},
    LensRecord{"embed.hook_embed", embedding, LensHeads::none, beside<segments>},
    LensRecord{"embed.hook_pos_embed", positions, LensHeads::none, beside<segments>},
    LensRecord{"embed.hook_token_type_embed", segments},
    LensRecord{"blocks.{}.hook_resid_pre", layer_input},
    LensRecord{"blocks.{}.ln1.hook_normalized", norm, LensHeads::none, beside<norm_bias>},
    LensRecord{"blocks.{}.attn.hook_q", query, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_k", key, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_v", value, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_rot_q", rotated_query, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_rot_k", rotated_key, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_attn_scores", masked, LensHeads::first},
    LensRecord{"blocks.{}.attn.hook_pattern", weights, LensHeads::first},
    LensRecord{"blocks.{}.attn.hook_z", output, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_result", contribution, LensHeads::between},
    LensRecord{"blocks.{}.hook_attn_out", projected, LensHeads::none, without<output_norm>},
    LensRecord{"blocks.{}.hook_attn_out", output_norm},
    LensRecord{"blocks.{}.hook_resid_mid", residual, LensHeads::none, is_sequential},
    LensRecord{"blocks.{}.ln1.hook_normalized", normed, LensHeads::none, beside<norm_bias>},
    LensRecord{"blocks.{}.ln2.hook_normalized", feed_forward_norm, LensHeads::none, beside<norm_bias>},
    LensRecord{"blocks.{}.mlp.hook_pre", hidden},
    LensRecord{"blocks.{}.mlp.hook_pre_linear", up},
    LensRecord{"blocks.{}.mlp.hook_post", activated, LensHeads::none, without<up>},
    LensRecord{"blocks.{}.mlp.hook_post", feed_forward_gated},
    LensRecord{"blocks.{}.hook_mlp_out", feed_forward_output, LensHeads::none,
               without<feed_forward_output_norm>},
    LensRecord{"blocks.{}.hook_mlp_out", feed_forward_output_norm},
    LensRecord{"blocks.{}.hook_resid_post", feed_forward_residual, LensHeads::none, beside<normed>},
    LensRecord{"blocks.{}.ln2.hook_normalized", feed_forward_normed, LensHeads::none, beside<norm_bias>},
    LensRecord{"blocks.{}.hook_resid_post", layer_output, LensHeads::none, without<normed>},
    LensRecord{"blocks.{}.hook_normalized_resid_post", layer_output, LensHeads::none, beside<normed>},
    LensRecord{"ln_final.hook_normalized", stack_output, LensHeads::none, beside<final_norm_bias>},
    LensRecord{"logits", logits},
};

// TransformerLens names the gate's matrix W_gate and the one beside it W_in.
constexpr std::array lens_parameters{
    LensRecord{"embed.W_E", embedding_table, LensHeads::none, without<segments>},
    LensRecord{"pos_embed.W_pos", positions_table, LensHeads::none, adds_learned_positions},
    LensRecord{"embed.embed.W_E", embedding_table, LensHeads::none, beside<segments>},
    LensRecord{"embed.pos_embed.W_pos", positions_table, LensHeads::none, adds_positions_and_segments},
    LensRecord{"embed.token_type_embed.W_token_type", segments_table},
    LensRecord{"embed.ln.w", embedding_norm_gain},
    LensRecord{"embed.ln.b", embedding_norm_bias},
    LensRecord{"blocks.{}.ln1.w", norm_gain},
    LensRecord{"blocks.{}.ln1.b", norm_bias},
    LensRecord{"blocks.{}.ln1_post.w", output_norm_gain},
    LensRecord{"blocks.{}.ln1_post.b", output_norm_bias},
    LensRecord{"blocks.{}.attn.W_Q", w_query, LensHeads::first},
    LensRecord{"blocks.{}.attn.b_Q", b_query, LensHeads::first},
    LensRecord{"blocks.{}.attn.W_K", w_key, LensHeads::first, has_keys_of_each_head},
    LensRecord{"blocks.{}.attn.b_K", b_key, LensHeads::first, has_keys_of_each_head},
    LensRecord{"blocks.{}.attn.W_V", w_value, LensHeads::first, has_keys_of_each_head},
    LensRecord{"blocks.{}.attn.b_V", b_value, LensHeads::first, has_keys_of_each_head},
    LensRecord{"blocks.{}.attn._W_K", w_key, LensHeads::first, shares_keys},
    LensRecord{"blocks.{}.attn._b_K", b_key, LensHeads::first, shares_keys},
    LensRecord{"blocks.{}.attn._W_V", w_value, LensHeads::first, shares_keys},
    LensRecord{"blocks.{}.attn._b_V", b_value, LensHeads::first, shares_keys},
    LensRecord{"blocks.{}.attn.W_O", w_output, LensHeads::in_rows},
    LensRecord{"blocks.{}.attn.b_O", b_output},
    LensRecord{"blocks.{}.attn.q_norm.w", query_norm_gain},
    LensRecord{"blocks.{}.attn.k_norm.w", key_norm_gain},
    LensRecord{"blocks.{}.ln2.w", feed_forward_norm_gain},
    LensRecord{"blocks.{}.ln2.b", feed_forward_norm_bias},
    LensRecord{"blocks.{}.ln2_post.w", feed_forward_output_norm_gain},
    LensRecord{"blocks.{}.ln2_post.b", feed_forward_output_norm_bias},
    LensRecord{"blocks.{}.mlp.W_in", w_1, LensHeads::none, without<up>},
    LensRecord{"blocks.{}.mlp.b_in", b_1, LensHeads::none, without<up>},
    LensRecord{"blocks.{}.mlp.W_gate", w_1, LensHeads::none, beside<up>},
    LensRecord{"blocks.{}.mlp.W_in", w_up},
    LensRecord{"blocks.{}.mlp.W_out", w_2},
    LensRecord{"blocks.{}.mlp.b_out", b_2},
    LensRecord{"ln_final.w", final_norm_gain},
    LensRecord{"ln_final.b", final_norm_bias},
    LensRecord{"mlm_head.W", w_transform},
    LensRecord{"mlm_head.b", b_transform},
    LensRecord{"mlm_head.ln.w", transform_norm_gain},
    LensRecord{"mlm_head.ln.b", transform_norm_bias},
    LensRecord{"unembed.W_U", w_logits},
    LensRecord{"unembed.b_U", b_logits},
};

bool applies(const LensRecord& record, const Graph& graph) {
  return !graph.architecture().has_cross() && (record.applies == nullptr || record.applies(graph));
}

StageId stage_of(const LensRecord& record, const Architecture& a, int layer) {
  return canonical(a, normalized({record.kind, a.last_stack(), layer}));
}

/// Matches a name against a pattern. Returns the layer at {}, or 0 without {}. Empty if it does not match.
std::optional<int> layer_in(std::string_view pattern, std::string_view name) {
  const std::size_t mark = pattern.find(layer_mark);
  if (mark == std::string_view::npos) return name == pattern ? std::optional(0) : std::nullopt;
  const std::string_view after = pattern.substr(mark + layer_mark.size());
  const bool fits =
      name.size() > mark + after.size() && name.starts_with(pattern.substr(0, mark)) && name.ends_with(after);
  if (!fits) return std::nullopt;
  const std::string_view digits = name.substr(mark, name.size() - mark - after.size());
  int layer = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size() && layer >= 0;
  return is_number ? std::optional(layer) : std::nullopt;
}

}  // namespace

std::vector<LensTensor> lens_tensors(const Trace& trace, bool with_parameters) {
  const Architecture& a = trace.architecture();
  std::vector<LensTensor> tensors;
  const auto add = [&](const LensRecord& record, int layer) {
    const StageId stage = stage_of(record, a, layer);
    if (!applies(record, trace.graph()) || !trace.has(stage)) return;
    std::string name(record.name);
    if (const std::size_t mark = name.find(layer_mark); mark != std::string::npos)
      name.replace(mark, layer_mark.size(), std::to_string(layer));
    tensors.push_back({std::move(name), record.heads, stage});
  };
  // Stages that precede the layers are listed before them, and stages that follow the layers after them.
  const auto add_all = [&](std::span<const LensRecord> records) {
    const auto is_of_layer = [](const LensRecord& record) {
      return record.name.find(layer_mark) != std::string_view::npos;
    };
    const auto first = std::ranges::find_if(records, is_of_layer);
    const auto behind = std::find_if_not(first, records.end(), is_of_layer);
    std::for_each(records.begin(), first, [&](const LensRecord& record) { add(record, 0); });
    for (int layer = 0; layer < a.layers_of(a.last_stack()); ++layer)
      std::for_each(first, behind, [&](const LensRecord& record) { add(record, layer); });
    std::for_each(behind, records.end(), [&](const LensRecord& record) { add(record, 0); });
  };
  if (with_parameters) add_all(lens_parameters);
  add_all(lens_records);
  return tensors;
}

std::optional<StageId> parse_lens_name(const Architecture& architecture, std::string_view name) {
  constexpr bool has_table = true;
  const Graph graph(architecture, {}, has_table);
  std::optional<StageId> lacked;
  for (const std::span<const LensRecord> records :
       {std::span<const LensRecord>(lens_records), std::span<const LensRecord>(lens_parameters)}) {
    for (const LensRecord& record : records) {
      const auto layer = layer_in(record.name, name);
      if (!layer || !applies(record, graph)) continue;
      const StageId stage = stage_of(record, architecture, *layer);
      if (has(graph, record.kind)) return stage;
      if (!lacked) lacked = stage;
    }
  }
  return lacked;
}

}  // namespace headscope
