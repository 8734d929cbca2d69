#include "core/trace/lens_names.h"

#include <array>
#include <charconv>

namespace headscope {
namespace {

bool norms_after(const Architecture& a) {
  return a.norm == Norm::post;
}
// TransformerLens keeps the result of a layer norm with its gain and bias, but that of an RMS norm without
// its gain, which is no stage here.
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
bool layer_norms_at_the_end(const Architecture& a) {
  return a.has_final_norm(a.last_stack()) && a.norm_kind == NormKind::layer;
}

/// A name, in which {} stands for the layer, and the stage that it means in the models to which it applies.
struct LensRecord {
  std::string_view name;
  StageKind kind;
  LensHeads heads = LensHeads::none;
  bool (*applies)(const Architecture&) = nullptr;  ///< Null for all models.
};

constexpr std::string_view layer_mark = "{}";

// In a block whose norms come after the sums, as BERT's, resid_post is the sum before its norm. The outputs
// of attention and of the feed-forward layer are what is added to the sum: with norms of their own (Gemma 2),
// those after the norm.
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

bool applies(const LensRecord& record, const Architecture& a) {
  return !a.has_cross() && (record.applies == nullptr || record.applies(a));
}

StageId stage_of(const LensRecord& record, const Architecture& a, int layer) {
  return canonical(a, normalized({record.kind, a.last_stack(), layer}));
}

/// Returns the layer that a name has in place of the mark, and 0 for an equal name without a mark. Empty if
/// the name is another one.
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

std::vector<LensTensor> lens_tensors(const Trace& trace) {
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
  const auto add_all = [&](const auto& is_wanted, int layer) {
    for (const LensRecord& record : lens_records)
      if (is_wanted(record)) add(record, layer);
  };
  const auto is_of_layer = [](const LensRecord& record) {
    return record.name.find(layer_mark) != std::string_view::npos;
  };
  const auto is_before = [&](const LensRecord& record) {
    return !is_of_layer(record) && record.kind < StageKind::layer_input;
  };
  const auto is_after = [&](const LensRecord& record) {
    return !is_of_layer(record) && record.kind > StageKind::layer_input;
  };
  add_all(is_before, 0);
  for (int layer = 0; layer < a.layers_of(a.last_stack()); ++layer) add_all(is_of_layer, layer);
  add_all(is_after, 0);
  return tensors;
}

std::optional<StageId> stage_of_lens_name(const Architecture& architecture, std::string_view name) {
  for (const LensRecord& record : lens_records) {
    if (!applies(record, architecture)) continue;
    if (const auto layer = layer_in(record.name, name)) return stage_of(record, architecture, *layer);
  }
  return std::nullopt;
}

}  // namespace headscope
