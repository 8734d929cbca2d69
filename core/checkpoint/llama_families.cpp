#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/checkpoint/llama_parts.h"

namespace headscope {
namespace {

using enum StoredAs;
using enum StoredPart;
using Names = std::string_view;

// d_model, d_ff, layers, heads, KV heads, d_head, context, base, whether the final linear layer is tied
constexpr LlamaDefaults smollm3_defaults{2048, 11008, 36, 16, 4, 0, 32768, 2e6, true};
constexpr LlamaDefaults starcoder2_defaults{3072, 12288, 30, 24, 2, 0, 4096, 1e4, true};
constexpr LlamaDefaults gpt_oss_defaults{2880, 2880, 36, 64, 8, 64, 131072, 150000.0};
constexpr LlamaDefaults cohere_defaults{8192, 22528, 40, 64, 0, 0, 8192, 1e4, true};
constexpr LlamaDefaults qwen2_moe_defaults{2048, 5632, 24, 16, 16, 0, 32768};
constexpr LlamaDefaults qwen3_moe_defaults{2048, 6144, 24, 32, 4, 0, 32768};
constexpr LlamaDefaults olmoe_defaults{2048, 2048, 16, 16, 0, 0, 4096};
constexpr LlamaDefaults mixtral_defaults{4096, 14336, 32, 32, 8, 0, 131072, 1e6};

/// Sets the same window in all layers, or in those that the list of layer types names.
void set_window_of_all(ModelConfig& config, int default_window, Architecture& a) {
  const int window = config.whole("sliding_window", default_window, 0);
  set_windows(config, window, sliding_layers_or(config, a.n_layers, 0), a);
}

Architecture llama_with(ModelConfig& config, const CheckpointFiles& files, const LlamaDefaults& of) {
  Architecture a = llama_like(config, files, of);
  set_attention_bias(config, a);
  a.bias.feed_forward = config.flag("mlp_bias", false);
  return a;
}

Architecture llama(ModelConfig& config, const CheckpointFiles& files) {
  return llama_with(config, files, {});
}

/// Llama with factors of the embeddings, of what sublayers add, of the scores and of the logits.
Architecture granite(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama(config, files);
  a.foreign.embedding_factor = config.decimal("embedding_multiplier", 1.0);
  a.foreign.sublayer_factor = config.decimal("residual_multiplier", 1.0);
  a.score_scale = config.decimal("attention_multiplier", 1.0);
  a.foreign.output_factor = 1.0F / config.decimal("logits_scaling", 1.0);
  return a;
}

/// Which layers do not rotate queries and keys: those with a 0 in the list, or every fourth.
std::vector<bool> unrotated_layers(ModelConfig& config, int n_layers) {
  std::vector<bool> unrotated;
  const nlohmann::json& list = config.value("no_rope_layers");
  const int every = config.whole("no_rope_layer_interval", 4);
  if (!list.is_null()) {
    for (const nlohmann::json& turns : list) unrotated.push_back(turns == 0);
    const auto is_flag = [](const auto& each) { return each == 0 || each == 1; };
    const bool fits = list.is_array() && list.size() == static_cast<std::size_t>(n_layers) &&
                      std::ranges::all_of(list, is_flag);
    config.require(fits, "no_rope_layers", "but must have 0 or 1 for each layer");
    return unrotated;
  }
  config.require(every > 0, "no_rope_layer_interval", "but must be above 0");
  for (int l = 1; l <= n_layers; ++l) unrotated.push_back(every > 0 && l % every == 0);
  return unrotated;
}

Architecture smollm3(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_with(config, files, smollm3_defaults);
  a.foreign.unrotated_layers = unrotated_layers(config, a.n_layers);
  const std::vector<bool> listed = sliding_layers(config, a.n_layers);
  const int window = config.whole("sliding_window", 0);
  const bool is_used = config.flag("use_sliding_window", false) || !listed.empty();
  config.has("max_window_layers");  // Not read in this family.
  set_windows(config, is_used ? window : 0, listed.empty() ? a.foreign.unrotated_layers : listed, a);
  return a;
}

/// Norms on the sublayers' outputs, and one of the queries of all heads together and one of their keys.
Architecture olmo2(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {});
  a.norm = Norm::output;
  a.norm_epsilon = config.decimal("rms_norm_eps", 1e-5);
  a.qk_norm = true;
  a.foreign.head_norm = HeadNorm::rms_of_all;
  set_attention_bias(config, a);
  return a;
}

/// Only layers without a window scale rotary positions.
Architecture olmo3(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = olmo2(config, files);
  a.rotary.local_base = a.rotary.base;
  set_windows(config, config.whole("sliding_window", 4096, 0), sliding_layers_or(config, a.n_layers, 4), a);
  return a;
}

Architecture stablelm(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {.d_model = 2560, .d_ff = 6912, .context = 4096});
  a.norm_kind = NormKind::layer;
  a.norm_epsilon = config.decimal("layer_norm_eps", 1e-5);
  a.rotary.fraction = rotary_fraction(config, "partial_rotary_factor", 0.25);
  a.bias.query = a.bias.key = a.bias.value = config.flag("use_qkv_bias", false);
  if (config.flag("use_parallel_residual", false)) a.block = Block::parallel_shared;
  a.qk_norm = config.flag("qk_layernorm", false);
  if (a.qk_norm) a.foreign.head_norm = HeadNorm::layer_of_head;
  return a;
}

/// LayerNorm without a bias, once for both sublayers, and rotary positions of neighbouring dimensions.
Architecture cohere(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, cohere_defaults);
  a.norm_kind = NormKind::layer;
  a.norm_epsilon = config.decimal("layer_norm_eps", 1e-5);
  a.block = Block::parallel_shared;
  a.rotary.pairing = RotaryPairing::interleaved;
  a.foreign.output_factor = config.decimal("logit_scale", 0.0625);
  a.qk_norm = config.flag("use_qk_norm", false);
  if (a.qk_norm) a.foreign.head_norm = HeadNorm::layer_of_head;
  set_attention_bias(config, a);
  return a;
}

/// Only layers with a window rotate queries and keys.
Architecture cohere2(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = cohere(config, files);
  const int window = config.whole("sliding_window", 4096, 0);
  config.require(window > 0, "sliding_window", "but only models with a window are supported");
  config.require(!a.qk_norm, "use_qk_norm", "which is not supported");
  const std::vector<bool> has_sliding_window =
      sliding_layers_or(config, a.n_layers, config.whole("sliding_window_pattern", 4));
  a.foreign.unrotated_layers = has_sliding_window;
  a.foreign.unrotated_layers.flip();
  set_windows(config, window, has_sliding_window, a);
  // These repeat what the family is.
  for (const char* key :
       {"layer_switch", "order_of_interleaved_layers", "position_embedding_type", "rotary_pct",
        "use_embedding_sharing", "use_gated_activation", "use_parallel_block", "use_parallel_embedding"})
    config.has(key);
  return a;
}

Architecture starcoder2(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, starcoder2_defaults);
  a.norm_kind = NormKind::layer;
  a.gated = false;
  a.activation = config.activation("hidden_act", "gelu_pytorch_tanh");
  a.norm_epsilon = config.decimal("norm_epsilon", 1e-5);
  if (config.flag("use_bias", true)) a.bias = {};
  config.require(config.text("norm_type", "layer_norm") == "layer_norm", "norm_type",
                 "but only layer_norm is supported");
  config.require(config.text("mlp_type", "default") == "default", "mlp_type",
                 "but only default is supported");
  // They repeat others, but nothing reads them.
  for (const char* key :
       {"layer_norm_epsilon", "activation_function", "scale_attn_weights", "scale_attention_softmax_in_fp32"})
    config.has(key);
  set_window_of_all(config, 0, a);
  return a;
}

Architecture mistral(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {.d_ff = 14336, .n_kv_heads = 8, .context = 131072});
  set_window_of_all(config, 4096, a);
  return a;
}

/// Qwen's window applies from a certain layer on, and only if it is switched on.
void set_qwen_window(ModelConfig& config, Architecture& a) {
  std::vector<bool> has_sliding_window = sliding_layers(config, a.n_layers);
  const int first = config.whole("max_window_layers", 28);
  const int window = config.whole("sliding_window", 4096, 0);
  if (has_sliding_window.empty()) {
    for (int l = 0; l < a.n_layers; ++l) has_sliding_window.push_back(l >= first);
  }
  set_windows(config, config.flag("use_sliding_window", false) ? window : 0, has_sliding_window, a);
}

Architecture qwen2(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {.d_ff = 22016, .n_kv_heads = 32, .context = 32768});
  a.bias.query = a.bias.key = a.bias.value = true;
  set_qwen_window(config, a);
  return a;
}

Architecture qwen3(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a =
      llama_like(config, files, {.d_ff = 22016, .n_kv_heads = 32, .d_head = 128, .context = 32768});
  a.qk_norm = true;
  set_attention_bias(config, a);
  set_qwen_window(config, a);
  return a;
}

constexpr auto norms_before = rules({
    {"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"},
    {"layers.{l}.feed_forward.norm.gain", "layers.{l}.post_attention_layernorm.weight"},
    {"norm.gain", "norm.weight"},
});
constexpr auto llama_rules = joined(llama_linear, norms_before, head_norms);
constexpr auto olmo2_rules =
    joined(llama_linear, head_norms,
           rules({
               {"layers.{l}.self.output_norm.gain", "layers.{l}.post_attention_layernorm.weight"},
               {"layers.{l}.feed_forward.output_norm.gain", "layers.{l}.post_feedforward_layernorm.weight"},
               {"norm.gain", "norm.weight"},
           }));
constexpr auto stablelm_rules =
    joined(llama_linear, norms_before,
           rules({
               {"layers.{l}.self.query_norm.gain", "layers.{l}.self_attn.q_layernorm.norms.{h}.weight"},
               {"layers.{l}.self.key_norm.gain", "layers.{l}.self_attn.k_layernorm.norms.{h}.weight"},
           }));
constexpr auto cohere_rules =
    joined(llama_linear, norms_before,
           rules({
               // Its layer norms have no biases.
               optional_bias("layers.{l}.self.norm.bias", "layers.{l}.input_layernorm.bias"),
               optional_bias("norm.bias", "norm.bias"),
               {"layers.{l}.self.query_norm.gain", "layers.{l}.self_attn.q_norm.weight", whole, heads_out},
               {"layers.{l}.self.key_norm.gain", "layers.{l}.self_attn.k_norm.weight", whole, heads_out},
           }));
constexpr auto starcoder2_rules = joined(llama_words, llama_projections, llama_outputs, norms_before,
                                         rules({
                                             {"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.c_fc.weight"},
                                             {"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.c_proj.weight"},
                                         }));
/// The same with a list of layers without experts, or all but every n-th.
void set_listed_experts(ModelConfig& config, const Experts& experts, Architecture& a) {
  const int step = std::max(config.whole("decoder_sparse_step", 1), 1);
  const nlohmann::json& listed = config.value("mlp_only_layers");
  const bool are_numbers =
      std::ranges::all_of(listed, [](const auto& each) { return each.is_number_integer(); });
  config.require(listed.is_null() || (listed.is_array() && are_numbers), "mlp_only_layers",
                 "but must be a list of layers");
  set_experts(config, "num_experts", experts, a, [&](int l) {
    const bool is_listed = listed.is_array() && std::ranges::find(listed, nlohmann::json(l)) != listed.end();
    return is_listed || (l + 1) % step != 0;
  });
}

/// The configuration of experts under the names that most families have for it.
Experts usual_experts(ModelConfig& config, int count, int top_k, int width) {
  return {.count = config.whole("num_experts", count),
          .top_k = config.whole("num_experts_per_tok", top_k),
          .width = config.whole("moe_intermediate_size", width),
          .renormalizes = config.flag("norm_topk_prob", false)};
}

Architecture mixtral(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, mixtral_defaults);
  a.norm_epsilon = config.decimal("rms_norm_eps", 1e-5);
  set_window_of_all(config, 0, a);
  const Experts experts{.count = config.whole("num_local_experts", 8),
                        .top_k = config.whole("num_experts_per_tok", 2),
                        .width = a.d_ff,
                        .renormalizes = true};
  set_experts(config, "num_local_experts", experts, a);
  return a;
}

Architecture qwen2_moe(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, qwen2_moe_defaults);
  a.bias.query = a.bias.key = a.bias.value = config.flag("qkv_bias", true);
  set_qwen_window(config, a);
  Experts experts = usual_experts(config, 60, 4, 1408);
  experts.shared_width = config.whole("shared_expert_intermediate_size", 5632);
  set_listed_experts(config, experts, a);
  return a;
}

Architecture qwen3_moe(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, qwen3_moe_defaults);
  a.qk_norm = true;
  set_attention_bias(config, a);
  set_qwen_window(config, a);
  // What files of Qwen3-Coder say besides.
  config.require(config.flag("use_qk_norm", true), "use_qk_norm", "but only true is supported");
  config.require(!config.flag("qkv_bias", false), "qkv_bias", "which is not supported");
  config.require(config.whole("shared_expert_intermediate_size", 0) == 0, "shared_expert_intermediate_size",
                 "but only 0 is supported");
  set_listed_experts(config, usual_experts(config, 128, 8, 768), a);
  return a;
}

Architecture olmoe(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, olmoe_defaults);
  a.norm_epsilon = config.decimal("rms_norm_eps", 1e-5);
  a.qk_norm = true;
  a.foreign.head_norm = HeadNorm::rms_of_all;
  set_attention_bias(config, a);
  config.require(!config.has("clip_qkv"), "clip_qkv", "which is not supported");
  Experts experts = usual_experts(config, 64, 8, 0);
  experts.width = a.d_ff;
  set_experts(config, "num_experts", experts, a);
  return a;
}

Architecture gpt_oss(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, gpt_oss_defaults);
  a.norm_epsilon = config.decimal("rms_norm_eps", 1e-5);
  a.sinks = true;
  a.bias = {};
  config.require(config.flag("attention_bias", true), "attention_bias",
                 "but only models with biases are supported");
  a.foreign.gate_limit = config.decimal("swiglu_limit", 7.0);
  config.require(a.foreign.gate_limit > 0.0F, "swiglu_limit", "but must be above 0");
  set_windows(config, config.whole("sliding_window", 128, 0), sliding_layers_or(config, a.n_layers, 2), a);
  const Experts experts{.count = config.whole("num_local_experts", 128),
                        .top_k = config.whole("num_experts_per_tok", config.whole("experts_per_token", 4)),
                        .width = a.d_ff,
                        .renormalizes = true};
  set_experts(config, "num_local_experts", experts, a);
  config.has("initial_context_length");  // That of the scaling of positions.
  return a;
}

/// Keys and values from a latent, and queries too unless the model is small; positions rotate dimensions of
/// their own.
void set_latents(ModelConfig& config, Architecture& a) {
  const int turned = config.whole("qk_rope_head_dim", 64);
  a.d_head = config.whole("qk_nope_head_dim", 128) + turned;
  for (const char* key : {"head_dim", "qk_head_dim"}) config.has(key);  // They repeat others.
  a.d_value = config.whole("v_head_dim", 128);
  a.n_kv_heads = a.n_heads;
  a.kv_latent = config.whole("kv_lora_rank", 512);
  if (const int latent = config.whole("q_lora_rank", 1536, 0); latent > 0) a.foreign.query_latent = latent;
  a.rotary.fraction = static_cast<float>(turned) / static_cast<float>(*a.d_head);
}

constexpr LlamaDefaults deepseek_v2_defaults{4096, 11008, 32, 32, 0, 0, 2048, 1e4, false, set_latents};
constexpr LlamaDefaults deepseek_v3_defaults{7168, 18432, 61, 128, 0, 0, 4096, 1e4, false, set_latents};

/// V3's routers choose by σ of the logits and a correction, V2's by a softmax.
Architecture deepseek(ModelConfig& config, const CheckpointFiles& files, bool is_v3) {
  Architecture a = llama_like(config, files, is_v3 ? deepseek_v3_defaults : deepseek_v2_defaults);
  a.n_kv_heads = a.n_heads;
  if (config.flag("rope_interleave", true)) a.rotary.pairing = RotaryPairing::interleaved;
  a.foreign.latent_norm_epsilon = 1e-6F;
  config.require(!config.flag("attention_bias", false), "attention_bias", "which is not supported");
  const int count = config.whole("n_routed_experts", is_v3 ? 256 : 64);
  const int width = config.whole("moe_intermediate_size", is_v3 ? 2048 : 1407);
  const int n_shared = config.whole("n_shared_experts", is_v3 ? 1 : 2, 0);
  const bool fits = double{1} * width * n_shared <= ArchitectureLimits::max_d_ff;
  config.require(fits, "n_shared_experts", "but together they must have at most 1,048,576 hidden numbers");
  Experts experts{.count = count,
                  .top_k = config.whole("num_experts_per_tok", is_v3 ? 8 : 2),
                  .width = width,
                  .renormalizes = config.flag("norm_topk_prob", is_v3),
                  .shared_width = fits ? width * n_shared : 0,
                  .has_shared_gate = false,
                  .uses_sigmoid = is_v3,
                  .has_correction = is_v3};
  experts.factor = config.decimal("routed_scaling_factor", is_v3 ? 2.5 : 1.0);
  const std::string method = config.text("topk_method", is_v3 ? "noaux_tc" : "greedy");
  const int groups = config.whole("n_group", is_v3 ? 8 : 1);
  const int top_groups = config.whole("topk_group", is_v3 ? 4 : 1);
  if (method != "greedy" && groups > 1) {
    experts.groups = groups;
    experts.top_groups = top_groups;
  }
  const std::string_view own = is_v3 ? "noaux_tc" : "group_limited_greedy";
  config.require(method == own || (!is_v3 && method == "greedy"), "topk_method",
                 "which is not the one of its family");
  config.require(
      config.text("scoring_func", is_v3 ? "sigmoid" : "softmax") == (is_v3 ? "sigmoid" : "softmax"),
      "scoring_func", "which is not the one of its family");
  // The code of V2 has the factor or the division, not both.
  if (!is_v3 && experts.renormalizes) experts.factor = 1.0F;
  config.require(config.whole("moe_layer_freq", 1) == 1, "moe_layer_freq", "but only 1 is supported");
  const int n_dense = config.whole("first_k_dense_replace", is_v3 ? 3 : 0);
  set_experts(config, "n_routed_experts", experts, a, [n_dense](int l) { return l < n_dense; });
  for (const char* key : {"ep_size", "aux_loss_alpha", "seq_aux", "num_nextn_predict_layers"})
    config.has(key);  // For training, and for layers behind the last one.
  return a;
}

Architecture deepseek_v2(ModelConfig& config, const CheckpointFiles& files) {
  return deepseek(config, files, false);
}

Architecture deepseek_v3(ModelConfig& config, const CheckpointFiles& files) {
  return deepseek(config, files, true);
}

constexpr auto gpt_oss_rules = joined(
    llama_words, llama_projections, llama_outputs, norms_before,
    rules({
        {"layers.{l}.self.sink", "layers.{l}.self_attn.sinks"},
        {"layers.{l}.feed_forward.router.W", "layers.{l}.mlp.router.weight"},
        of_experts("layers.{l}.feed_forward.W_1", "layers.{l}.mlp.experts.gate_up_proj.{e}", even_rows),
        of_experts("layers.{l}.feed_forward.W_up", "layers.{l}.mlp.experts.gate_up_proj.{e}", odd_rows),
        of_experts("layers.{l}.feed_forward.W_2", "layers.{l}.mlp.experts.down_proj.{e}"),
        {"layers.{l}.feed_forward.b_1", "layers.{l}.mlp.experts.gate_up_proj_bias", even_rows},
        {"layers.{l}.feed_forward.b_up", "layers.{l}.mlp.experts.gate_up_proj_bias", odd_rows},
        {"layers.{l}.feed_forward.B_2", "layers.{l}.mlp.experts.down_proj_bias"},
    }));
constexpr auto deepseek_rules = joined(
    llama_words, llama_outputs, norms_before, llama_gated,
    rules({
        {"layers.{l}.self.W_Q", "layers.{l}.self_attn.q_proj.weight", rotated_first},
        {"layers.{l}.self.W_Q", "layers.{l}.self_attn.q_b_proj.weight", rotated_first},
        {"layers.{l}.self.W_DQ", "layers.{l}.self_attn.q_a_proj.weight"},
        {"layers.{l}.self.query_latent_norm.gain", "layers.{l}.self_attn.q_a_layernorm.weight"},
        {"layers.{l}.self.W_DKV", "layers.{l}.self_attn.kv_a_proj_with_mqa.weight", StoredPart::latent},
        {"layers.{l}.self.W_KR", "layers.{l}.self_attn.kv_a_proj_with_mqa.weight", StoredPart::shared_key},
        {"layers.{l}.self.latent_norm.gain", "layers.{l}.self_attn.kv_a_layernorm.weight"},
        {"layers.{l}.self.W_K", "layers.{l}.self_attn.kv_b_proj.weight", key_of_head},
        {"layers.{l}.self.W_V", "layers.{l}.self_attn.kv_b_proj.weight", value_of_head},
        {"layers.{l}.feed_forward.router.W", "layers.{l}.mlp.gate.weight"},
        {"layers.{l}.feed_forward.router.correction", "layers.{l}.mlp.gate.e_score_correction_bias"},
        of_experts("layers.{l}.feed_forward.W_1", "layers.{l}.mlp.experts.{e}.gate_proj.weight"),
        of_experts("layers.{l}.feed_forward.W_up", "layers.{l}.mlp.experts.{e}.up_proj.weight"),
        of_experts("layers.{l}.feed_forward.W_2", "layers.{l}.mlp.experts.{e}.down_proj.weight"),
        {"layers.{l}.feed_forward.shared.W_1", "layers.{l}.mlp.shared_experts.gate_proj.weight"},
        {"layers.{l}.feed_forward.shared.W_up", "layers.{l}.mlp.shared_experts.up_proj.weight"},
        {"layers.{l}.feed_forward.shared.W_2", "layers.{l}.mlp.shared_experts.down_proj.weight"},
    }));

constexpr auto mixtral_rules = joined(
    llama_words, llama_projections, llama_outputs, norms_before,
    rules({
        {"layers.{l}.feed_forward.router.W", "layers.{l}.block_sparse_moe.gate.weight"},
        of_experts("layers.{l}.feed_forward.W_1", "layers.{l}.block_sparse_moe.experts.{e}.w1.weight"),
        of_experts("layers.{l}.feed_forward.W_up", "layers.{l}.block_sparse_moe.experts.{e}.w3.weight"),
        of_experts("layers.{l}.feed_forward.W_2", "layers.{l}.block_sparse_moe.experts.{e}.w2.weight"),
    }));
constexpr auto qwen_moe_rules =
    joined(llama_words, llama_projections, llama_outputs, norms_before, head_norms, llama_gated,
           rules({
               {"layers.{l}.feed_forward.router.W", "layers.{l}.mlp.gate.weight"},
               of_experts("layers.{l}.feed_forward.W_1", "layers.{l}.mlp.experts.{e}.gate_proj.weight"),
               of_experts("layers.{l}.feed_forward.W_up", "layers.{l}.mlp.experts.{e}.up_proj.weight"),
               of_experts("layers.{l}.feed_forward.W_2", "layers.{l}.mlp.experts.{e}.down_proj.weight"),
               {"layers.{l}.feed_forward.shared_gate.W", "layers.{l}.mlp.shared_expert_gate.weight"},
               {"layers.{l}.feed_forward.shared.W_1", "layers.{l}.mlp.shared_expert.gate_proj.weight"},
               {"layers.{l}.feed_forward.shared.W_up", "layers.{l}.mlp.shared_expert.up_proj.weight"},
               {"layers.{l}.feed_forward.shared.W_2", "layers.{l}.mlp.shared_expert.down_proj.weight"},
           }));

Architecture phi(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {.d_model = 2048, .d_ff = 8192, .n_layers = 24});
  a.norm_kind = NormKind::layer;
  a.gated = false;
  a.block = Block::parallel_shared;
  a.bias = {};
  a.activation = config.activation("hidden_act", "gelu_new");
  a.norm_epsilon = config.decimal("layer_norm_eps", 1e-5);
  a.rotary.fraction = rotary_fraction(config, "partial_rotary_factor", 0.5);
  config.require(!config.flag("qk_layernorm", false), "qk_layernorm", "which is not supported");
  return a;
}

constexpr auto phi_rules = joined(llama_words, llama_projections,
                                  rules({
                                      {"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"},
                                      {"layers.{l}.self.W_O", "layers.{l}.self_attn.dense.weight"},
                                      {"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.fc1.weight"},
                                      {"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.fc2.weight"},
                                      {"norm.gain", "final_layernorm.weight"},
                                      {"logits.b", "^lm_head.bias"},
                                  }));

Architecture phi3(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {.d_model = 3072, .d_ff = 8192, .context = 4096});
  a.norm_epsilon = config.decimal("rms_norm_eps", 1e-5);
  a.rotary.fraction = rotary_fraction(config, "partial_rotary_factor", 1.0);
  set_window_of_all(config, 0, a);
  return a;
}

constexpr auto phi3_rules =
    joined(llama_words, llama_outputs, norms_before,
           rules({
               {"layers.{l}.self.W_Q", "layers.{l}.self_attn.qkv_proj.weight", query},
               {"layers.{l}.self.W_K", "layers.{l}.self_attn.qkv_proj.weight", key},
               {"layers.{l}.self.W_V", "layers.{l}.self_attn.qkv_proj.weight", value},
               {"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.gate_up_proj.weight", first_half},
               {"layers.{l}.feed_forward.W_up", "layers.{l}.mlp.gate_up_proj.weight", second_half},
               {"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.down_proj.weight"},
           }));

/// A layer that predicts a further word in training.
constexpr std::array deepseek_unused{Names("lm_head.weight"), Names("model.layers.{behind}.*")};

}  // namespace

Architecture llama_like(ModelConfig& config, const CheckpointFiles& files, const LlamaDefaults& of) {
  Architecture a = causal_layers(config);
  a.norm_kind = NormKind::rms;
  a.gated = true;
  a.d_model = config.whole("hidden_size", of.d_model);
  const bool has_list = of.may_list_d_ff && config.value("intermediate_size").is_array();
  a.d_ff = has_list ? of.d_ff : config.whole("intermediate_size", of.d_ff);
  a.n_layers = config.whole("num_hidden_layers", of.n_layers);
  a.n_heads = config.whole("num_attention_heads", of.n_heads);
  const int kv_heads = of.n_kv_heads == 0 ? a.n_heads : of.n_kv_heads;
  a.n_kv_heads = config.whole("num_key_value_heads", kv_heads, a.n_heads);
  if (const int width = config.whole("head_dim", of.d_head, 0); width > 0) a.d_head = width;
  a.activation = config.activation("hidden_act", "silu");
  a.norm_epsilon = config.decimal("rms_norm_eps", 1e-6);
  a.foreign.context = config.whole("max_position_embeddings", of.context);
  a.bias = {.query = false, .key = false, .value = false, .output = false, .feed_forward = false};
  if (of.before_positions != nullptr) of.before_positions(config, a);
  set_rotary(config, of.base, a.foreign.context, a);
  set_output_layer(config, files, "lm_head.weight", of.is_tied, a);
  return a;
}

void set_attention_bias(ModelConfig& config, Architecture& a) {
  if (config.flag("attention_bias", false)) a.bias.query = a.bias.key = a.bias.value = a.bias.output = true;
}

void set_experts(ModelConfig& config, std::string_view count, const Experts& experts, Architecture& a,
                 const std::function<bool(int)>& is_dense) {
  const double hidden = double{1} * experts.count * experts.width + experts.shared_width;
  const bool fits = experts.count > 0 && experts.width > 0 && hidden <= ArchitectureLimits::max_d_ff;
  config.require(fits, count, "but the experts must have from 1 to 1,048,576 hidden numbers together");
  for (const char* key : {"router_aux_loss_coef", "output_router_logits", "router_jitter_noise"})
    config.has(key);  // Only for training.
  if (!fits) return;
  std::vector<bool>& dense = a.foreign.dense_layers;
  for (int l = 0; l < a.n_layers && is_dense; ++l) dense.push_back(is_dense(l));
  const bool are_all_dense = !dense.empty() && std::ranges::find(dense, false) == dense.end();
  if (std::ranges::find(dense, true) == dense.end() || are_all_dense) dense.clear();
  if (are_all_dense) return;
  config.require(dense.empty() || a.d_ff > 0, "intermediate_size",
                 "but must be above 0, as some layers have no experts");
  a.foreign.dense_layers_width = dense.empty() ? 0 : a.d_ff;
  a.foreign.experts = experts;
  a.d_ff = experts.hidden();
}

std::span<const Family> llama_families() {
  static constexpr std::array all{
      Family{"Llama", {"llama"}, llama_prefixes, llama, llama_rules, llama_unused},
      Family{"Mistral", {"mistral"}, llama_prefixes, mistral, llama_rules, llama_unused},
      Family{"Qwen 2", {"qwen2"}, llama_prefixes, qwen2, llama_rules, llama_unused},
      Family{"Qwen 3", {"qwen3"}, llama_prefixes, qwen3, llama_rules, llama_unused},
      Family{"Phi", {"phi"}, llama_prefixes, phi, phi_rules, llama_unused},
      Family{"Phi-3", {"phi3"}, llama_prefixes, phi3, phi3_rules, llama_unused},
      Family{"Mixtral", {"mixtral"}, llama_prefixes, mixtral, mixtral_rules, llama_unused},
      Family{"Qwen 2 MoE", {"qwen2_moe"}, llama_prefixes, qwen2_moe, qwen_moe_rules, llama_unused},
      Family{"Qwen 3 MoE", {"qwen3_moe"}, llama_prefixes, qwen3_moe, qwen_moe_rules, llama_unused},
      Family{"OLMoE", {"olmoe"}, llama_prefixes, olmoe, qwen_moe_rules, llama_unused},
      Family{"gpt-oss",
             {"gpt_oss"},
             llama_prefixes,
             gpt_oss,
             gpt_oss_rules,
             llama_unused,
             false,
             "config.json",
             true},
      Family{"DeepSeek-V2", {"deepseek_v2"}, llama_prefixes, deepseek_v2, deepseek_rules, llama_unused},
      Family{"DeepSeek-V3", {"deepseek_v3"}, llama_prefixes, deepseek_v3, deepseek_rules, deepseek_unused},
      Family{"Granite", {"granite"}, llama_prefixes, granite, llama_rules, llama_unused},
      Family{"SmolLM 3", {"smollm3"}, llama_prefixes, smollm3, llama_rules, llama_unused},
      Family{"OLMo 2", {"olmo2"}, llama_prefixes, olmo2, olmo2_rules, llama_unused},
      Family{"OLMo 3", {"olmo3"}, llama_prefixes, olmo3, olmo2_rules, llama_unused},
      Family{"StableLM", {"stablelm"}, llama_prefixes, stablelm, stablelm_rules, llama_unused},
      Family{"Command R", {"cohere"}, llama_prefixes, cohere, cohere_rules, llama_unused},
      Family{"Command R7B", {"cohere2"}, llama_prefixes, cohere2, cohere_rules, llama_unused},
      Family{"StarCoder 2", {"starcoder2"}, llama_prefixes, starcoder2, starcoder2_rules, llama_unused}};
  return all;
}

}  // namespace headscope
