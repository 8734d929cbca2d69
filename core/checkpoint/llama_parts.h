#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "core/checkpoint/family.h"

namespace headscope {

// What the families that descend from Llama share.

/// The defaults of a family's configuration. Those given here are Llama's. 0 KV heads stand for n_heads, and
/// a d_head of 0 stands for d_model / n_heads.
struct LlamaDefaults {
  int d_model = 4096, d_ff = 11008, n_layers = 32, n_heads = 32, n_kv_heads = 0, d_head = 0, context = 2048;
  double base = 10000.0;
  bool is_tied = false;
  /// Sets the other inputs of the positions' scaling. Null if there are none.
  void (*before_positions)(ModelConfig& config, Architecture& a) = nullptr;
  bool may_list_d_ff = false;  ///< Whether the family reads a width for each layer itself
};

/// RMS norms, rotary positions, grouped queries and a gated feed-forward layer, without biases.
Architecture llama_like(ModelConfig& config, const CheckpointFiles& files, const LlamaDefaults& of);

void set_attention_bias(ModelConfig& config, Architecture& a);

/// Makes the feed-forward layers those of experts, but that of a layer in which `is_dense`.
void set_experts(ModelConfig& config, std::string_view count, const Experts& experts, Architecture& a,
                 const std::function<bool(int)>& is_dense = nullptr);

inline constexpr std::array llama_prefixes{std::string_view("model."), std::string_view("")};
inline constexpr auto llama_words = rules({
    {"embedding.table", "embed_tokens.weight"},
    tied_table_rule,
    times(ReadTimes::output_factor, "logits.W", "^lm_head.weight"),
});
inline constexpr auto llama_projections = rules({
    {"layers.{l}.self.W_Q", "layers.{l}.self_attn.q_proj.weight"},
    {"layers.{l}.self.W_K", "layers.{l}.self_attn.k_proj.weight"},
    {"layers.{l}.self.W_V", "layers.{l}.self_attn.v_proj.weight"},
});
inline constexpr auto llama_outputs = rules({
    times(ReadTimes::sublayer_factor, "layers.{l}.self.W_O", "layers.{l}.self_attn.o_proj.weight"),
});
inline constexpr auto llama_gated = rules({
    {"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.gate_proj.weight"},
    {"layers.{l}.feed_forward.W_up", "layers.{l}.mlp.up_proj.weight"},
    times(ReadTimes::sublayer_factor, "layers.{l}.feed_forward.W_2", "layers.{l}.mlp.down_proj.weight"),
});
/// All but the norms.
inline constexpr auto llama_linear = joined(llama_words, llama_projections, llama_outputs, llama_gated);
inline constexpr auto head_norms = rules({
    {"layers.{l}.self.query_norm.gain", "layers.{l}.self_attn.q_norm.weight"},
    {"layers.{l}.self.key_norm.gain", "layers.{l}.self_attn.k_norm.weight"},
});
inline constexpr std::array llama_unused{std::string_view("lm_head.weight")};

}  // namespace headscope
