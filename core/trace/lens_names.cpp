#include "core/trace/lens_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace headscope {
namespace {

bool norms_after(const Architecture& a) {
  return a.norm == Norm::post;
}
// TransformerLens stores the result of a layer norm with its gain and bias applied, but that of an RMS norm
// before its gain is applied, for which this program has no stage.
bool layer_norms_before(const Architecture& a) {
  return a.norms_inputs() && a.norm_kind == NormKind::layer;
}
bool layer_norms_after(const Architecture& a) {
  return norms_after(a) && a.norm_kind == NormKind::layer;
}
bool does_not_norm_after(const Architecture& a) {
  return !norms_after(a);
}
bool norms_outputs(const Architecture& a) {
  return a.norms_outputs();
}
bool keeps_outputs(const Architecture& a) {
  return !a.norms_outputs();
}
bool is_sequential(const Architecture& a) {
  return a.d_ff > 0 && !a.is_parallel();
}
bool is_gated(const Architecture& a) {
  return a.gated;
}
bool is_not_gated(const Architecture& a) {
  return !a.gated;
}
bool has_segments(const Architecture& a) {
  return a.foreign.segments > 0;
}
bool has_no_segments(const Architecture& a) {
  return !has_segments(a);
}
bool shares_keys(const Architecture& a) {
  return a.shares_keys();
}
bool has_keys_of_each_head(const Architecture& a) {
  return !a.shares_keys();
}
bool adds_learned_positions(const Architecture& a) {
  return a.positions == Positions::learned && !has_segments(a);
}
bool adds_positions_and_segments(const Architecture& a) {
  return a.positions == Positions::learned && has_segments(a);
}
bool layer_norms_at_the_end(const Architecture& a) {
  return a.has_final_norm(a.last_stack()) && a.norm_kind == NormKind::layer;
}

/// A name, in which {} stands for the layer, and the stage to which it refers in the models that `applies`
/// accepts.
struct LensRecord {
  std::string_view name;
  StageKind kind;
  LensHeads heads = LensHeads::none;
  bool (*applies)(const Architecture&) = nullptr;  ///< Null for all models.
};

constexpr std::string_view layer_mark = "{}";

// In a block whose norms come after the sums, as in BERT, resid_post is the sum before its norm. The outputs
// of attention and of the feed-forward layer are the terms of the sum. If these outputs have norms of their
// own (Gemma 2), they are the normalised outputs.
constexpr std::array lens_records{
    LensRecord{"hook_embed", StageKind::embedding, LensHeads::none, has_no_segments},
    LensRecord{"hook_pos_embed", StageKind::positions, LensHeads::none, has_no_segments},
    LensRecord{"embed.hook_embed", StageKind::embedding, LensHeads::none, has_segments},
    LensRecord{"embed.hook_pos_embed", StageKind::positions, LensHeads::none, has_segments},
    LensRecord{"embed.hook_token_type_embed", StageKind::segments, LensHeads::none, has_segments},
    LensRecord{"blocks.{}.hook_resid_pre", StageKind::layer_input},
    LensRecord{"blocks.{}.ln1.hook_normalized", StageKind::norm, LensHeads::none, layer_norms_before},
    LensRecord{"blocks.{}.attn.hook_q", StageKind::query, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_k", StageKind::key, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_v", StageKind::value, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_rot_q", StageKind::rotated_query, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_rot_k", StageKind::rotated_key, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_attn_scores", StageKind::masked, LensHeads::first},
    LensRecord{"blocks.{}.attn.hook_pattern", StageKind::weights, LensHeads::first},
    LensRecord{"blocks.{}.attn.hook_z", StageKind::output, LensHeads::between},
    LensRecord{"blocks.{}.attn.hook_result", StageKind::contribution, LensHeads::between},
    LensRecord{"blocks.{}.hook_attn_out", StageKind::projected, LensHeads::none, keeps_outputs},
    LensRecord{"blocks.{}.hook_attn_out", StageKind::output_norm, LensHeads::none, norms_outputs},
    LensRecord{"blocks.{}.hook_resid_mid", StageKind::residual, LensHeads::none, is_sequential},
    LensRecord{"blocks.{}.ln1.hook_normalized", StageKind::normed, LensHeads::none, layer_norms_after},
    LensRecord{"blocks.{}.ln2.hook_normalized", StageKind::feed_forward_norm, LensHeads::none,
               layer_norms_before},
    LensRecord{"blocks.{}.mlp.hook_pre", StageKind::hidden},
    LensRecord{"blocks.{}.mlp.hook_pre_linear", StageKind::up, LensHeads::none, is_gated},
    LensRecord{"blocks.{}.mlp.hook_post", StageKind::activated, LensHeads::none, is_not_gated},
    LensRecord{"blocks.{}.mlp.hook_post", StageKind::feed_forward_gated, LensHeads::none, is_gated},
    LensRecord{"blocks.{}.hook_mlp_out", StageKind::feed_forward_output, LensHeads::none, keeps_outputs},
    LensRecord{"blocks.{}.hook_mlp_out", StageKind::feed_forward_output_norm, LensHeads::none, norms_outputs},
    LensRecord{"blocks.{}.hook_resid_post", StageKind::feed_forward_residual, LensHeads::none, norms_after},
    LensRecord{"blocks.{}.ln2.hook_normalized", StageKind::feed_forward_normed, LensHeads::none,
               layer_norms_after},
    LensRecord{"blocks.{}.hook_resid_post", StageKind::layer_output, LensHeads::none, does_not_norm_after},
    LensRecord{"blocks.{}.hook_normalized_resid_post", StageKind::layer_output, LensHeads::none, norms_after},
    LensRecord{"ln_final.hook_normalized", StageKind::stack_output, LensHeads::none, layer_norms_at_the_end},
    LensRecord{"logits", StageKind::logits},
};

// TransformerLens names the gate's matrix W_gate and the one beside it W_in.
constexpr std::array lens_parameters{
    LensRecord{"embed.W_E", StageKind::embedding_table, LensHeads::none, has_no_segments},
    LensRecord{"pos_embed.W_pos", StageKind::positions_table, LensHeads::none, adds_learned_positions},
    LensRecord{"embed.embed.W_E", StageKind::embedding_table, LensHeads::none, has_segments},
    LensRecord{"embed.pos_embed.W_pos", StageKind::positions_table, LensHeads::none,
               adds_positions_and_segments},
    LensRecord{"embed.token_type_embed.W_token_type", StageKind::segments_table},
    LensRecord{"embed.ln.w", StageKind::embedding_norm_gain},
    LensRecord{"embed.ln.b", StageKind::embedding_norm_bias},
    LensRecord{"blocks.{}.ln1.w", StageKind::norm_gain},
    LensRecord{"blocks.{}.ln1.b", StageKind::norm_bias},
    LensRecord{"blocks.{}.ln1_post.w", StageKind::output_norm_gain},
    LensRecord{"blocks.{}.ln1_post.b", StageKind::output_norm_bias},
    LensRecord{"blocks.{}.attn.W_Q", StageKind::w_query, LensHeads::first},
    LensRecord{"blocks.{}.attn.b_Q", StageKind::b_query, LensHeads::first},
    LensRecord{"blocks.{}.attn.W_K", StageKind::w_key, LensHeads::first, has_keys_of_each_head},
    LensRecord{"blocks.{}.attn.b_K", StageKind::b_key, LensHeads::first, has_keys_of_each_head},
    LensRecord{"blocks.{}.attn.W_V", StageKind::w_value, LensHeads::first, has_keys_of_each_head},
    LensRecord{"blocks.{}.attn.b_V", StageKind::b_value, LensHeads::first, has_keys_of_each_head},
    LensRecord{"blocks.{}.attn._W_K", StageKind::w_key, LensHeads::first, shares_keys},
    LensRecord{"blocks.{}.attn._b_K", StageKind::b_key, LensHeads::first, shares_keys},
    LensRecord{"blocks.{}.attn._W_V", StageKind::w_value, LensHeads::first, shares_keys},
    LensRecord{"blocks.{}.attn._b_V", StageKind::b_value, LensHeads::first, shares_keys},
    LensRecord{"blocks.{}.attn.W_O", StageKind::w_output, LensHeads::in_rows},
    LensRecord{"blocks.{}.attn.b_O", StageKind::b_output},
    LensRecord{"blocks.{}.attn.q_norm.w", StageKind::query_norm_gain},
    LensRecord{"blocks.{}.attn.k_norm.w", StageKind::key_norm_gain},
    LensRecord{"blocks.{}.ln2.w", StageKind::feed_forward_norm_gain},
    LensRecord{"blocks.{}.ln2.b", StageKind::feed_forward_norm_bias},
    LensRecord{"blocks.{}.ln2_post.w", StageKind::feed_forward_output_norm_gain},
    LensRecord{"blocks.{}.ln2_post.b", StageKind::feed_forward_output_norm_bias},
    LensRecord{"blocks.{}.mlp.W_in", StageKind::w_1, LensHeads::none, is_not_gated},
    LensRecord{"blocks.{}.mlp.b_in", StageKind::b_1, LensHeads::none, is_not_gated},
    LensRecord{"blocks.{}.mlp.W_gate", StageKind::w_1, LensHeads::none, is_gated},
    LensRecord{"blocks.{}.mlp.W_in", StageKind::w_up, LensHeads::none, is_gated},
    LensRecord{"blocks.{}.mlp.W_out", StageKind::w_2},
    LensRecord{"blocks.{}.mlp.b_out", StageKind::b_2},
    LensRecord{"ln_final.w", StageKind::final_norm_gain},
    LensRecord{"ln_final.b", StageKind::final_norm_bias},
    LensRecord{"mlm_head.W", StageKind::w_transform},
    LensRecord{"mlm_head.b", StageKind::b_transform},
    LensRecord{"mlm_head.ln.w", StageKind::transform_norm_gain},
    LensRecord{"mlm_head.ln.b", StageKind::transform_norm_bias},
    LensRecord{"unembed.W_U", StageKind::w_logits},
    LensRecord{"unembed.b_U", StageKind::b_logits},
};

bool applies(const LensRecord& record, const Architecture& a) {
  return !a.has_cross() && (record.applies == nullptr || record.applies(a));
}

StageId stage_of(const LensRecord& record, const Architecture& a, int layer) {
  return canonical(a, normalized({record.kind, a.last_stack(), layer}));
}

/// Returns the layer number that a name has where the pattern has the mark, or 0 if the pattern has no mark
/// and equals the name. Empty if the name does not match.
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
    if (!applies(record, a) || !trace.has(stage)) return;
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

std::optional<StageId> stage_of_lens_name(const Architecture& architecture, std::string_view name) {
  for (const std::span<const LensRecord> records :
       {std::span<const LensRecord>(lens_records), std::span<const LensRecord>(lens_parameters)}) {
    for (const LensRecord& record : records) {
      if (!applies(record, architecture)) continue;
      if (const auto layer = layer_in(record.name, name)) return stage_of(record, architecture, *layer);
    }
  }
  return std::nullopt;
}

}  // namespace headscope
