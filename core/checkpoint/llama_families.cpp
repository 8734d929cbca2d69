#include <algorithm>
#include <array>
#include <cmath>

#include "core/checkpoint/family_parts.h"

namespace headscope {
namespace {

using enum StoredAs;
using enum StoredPart;
using Names = std::string_view;

/// The defaults of a family's configuration. Those given here are Llama's.
struct LlamaDefaults {
  int d_model = 4096, d_ff = 11008, n_layers = 32, n_heads = 32;
  int n_kv_heads = 0;  ///< 0 stands for n_heads.
  int d_head = 0;      ///< 0 stands for d_model / n_heads.
  int context = 2048;
  double base = 10000.0;
  bool is_tied = false;
};

/// RMS norms, rotary positions, grouped queries and a gated feed-forward layer, without biases.
Architecture llama_like(ModelConfig& config, const CheckpointFiles& files, const LlamaDefaults& of) {
  Architecture a = causal_layers(config);
  a.norm_kind = NormKind::rms;
  a.gated = true;
  a.d_model = config.whole("hidden_size", of.d_model);
  a.d_ff = config.whole("intermediate_size", of.d_ff);
  a.n_layers = config.whole("num_hidden_layers", of.n_layers);
  a.n_heads = config.whole("num_attention_heads", of.n_heads);
  const int kv_heads = of.n_kv_heads == 0 ? a.n_heads : of.n_kv_heads;
  a.n_kv_heads = config.whole("num_key_value_heads", kv_heads, a.n_heads);
  if (const int width = config.whole("head_dim", of.d_head, 0); width > 0) a.d_head = width;
  a.activation = config.activation("hidden_act", "silu");
  a.norm_epsilon = config.decimal("rms_norm_eps", 1e-6);
  a.foreign.context = config.whole("max_position_embeddings", of.context);
  a.bias = {.query = false, .key = false, .value = false, .output = false, .feed_forward = false};
  set_rotary(config, of.base, a.foreign.context, a);
  set_output_layer(config, files, "lm_head.weight", of.is_tied, a);
  return a;
}

/// Sets the same window in all layers, or in those that the list of layer types names.
void set_window_of_all(ModelConfig& config, int window_otherwise, Architecture& a) {
  const int window = config.whole("sliding_window", window_otherwise, 0);
  if (a.n_layers > ArchitectureLimits::max_layers) return;
  std::vector<bool> slides = sliding_layers(config, a.n_layers);
  if (slides.empty()) slides.assign(static_cast<std::size_t>(a.n_layers), true);
  set_windows(config, window, slides, a);
}

Architecture llama(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {});
  const bool has_bias = config.flag("attention_bias", false);
  a.bias = {.query = has_bias,
            .key = has_bias,
            .value = has_bias,
            .output = has_bias,
            .feed_forward = config.flag("mlp_bias", false)};
  return a;
}

Architecture mistral(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {.d_ff = 14336, .n_kv_heads = 8, .context = 131072});
  set_window_of_all(config, 4096, a);
  return a;
}

/// Qwen's window applies from a certain layer on, and only if it is switched on.
void set_qwen_window(ModelConfig& config, Architecture& a) {
  if (a.n_layers > ArchitectureLimits::max_layers) return;
  std::vector<bool> slides = sliding_layers(config, a.n_layers);
  const int first = config.whole("max_window_layers", 28);
  const int window = config.whole("sliding_window", 4096, 0);
  if (slides.empty()) {
    for (int l = 0; l < a.n_layers; ++l) slides.push_back(l >= first);
  }
  set_windows(config, config.flag("use_sliding_window", false) ? window : 0, slides, a);
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
  const bool has_bias = config.flag("attention_bias", false);
  a.bias.query = a.bias.key = a.bias.value = a.bias.output = has_bias;
  set_qwen_window(config, a);
  return a;
}

constexpr std::array llama_prefixes{Names("model."), Names("")};
constexpr TensorRule llama_table_rule{"embedding.table", "embed_tokens.weight"};
constexpr TensorRule llama_words_rule{"logits.W", "^lm_head.weight", out_in};
constexpr std::array llama_rules{
    llama_table_rule,
    tied_table_rule,
    TensorRule{"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"},
    TensorRule{"layers.{l}.self.W_Q", "layers.{l}.self_attn.q_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_K", "layers.{l}.self_attn.k_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_V", "layers.{l}.self_attn.v_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_O", "layers.{l}.self_attn.o_proj.weight", out_in},
    TensorRule{"layers.{l}.self.b_Q", "layers.{l}.self_attn.q_proj.bias"},
    TensorRule{"layers.{l}.self.b_K", "layers.{l}.self_attn.k_proj.bias"},
    TensorRule{"layers.{l}.self.b_V", "layers.{l}.self_attn.v_proj.bias"},
    TensorRule{"layers.{l}.self.b_O", "layers.{l}.self_attn.o_proj.bias"},
    TensorRule{"layers.{l}.self.query_norm.gain", "layers.{l}.self_attn.q_norm.weight"},
    TensorRule{"layers.{l}.self.key_norm.gain", "layers.{l}.self_attn.k_norm.weight"},
    TensorRule{"layers.{l}.feed_forward.norm.gain", "layers.{l}.post_attention_layernorm.weight"},
    TensorRule{"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.gate_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_up", "layers.{l}.mlp.up_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.down_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.b_1", "layers.{l}.mlp.gate_proj.bias"},
    TensorRule{"layers.{l}.feed_forward.b_up", "layers.{l}.mlp.up_proj.bias"},
    TensorRule{"layers.{l}.feed_forward.b_2", "layers.{l}.mlp.down_proj.bias"},
    TensorRule{"norm.gain", "norm.weight"},
    llama_words_rule,
};
constexpr std::array llama_unused{Names("lm_head.weight")};

/// Gemma's norms multiply by 1 + the stored number, and its embeddings are multiplied by √d_model.
Architecture gemma_like(ModelConfig& config, const CheckpointFiles& files, const LlamaDefaults& of) {
  Architecture a = llama_like(config, files, of);
  // hidden_act is obsolete: the models use the approximation, as hidden_activation says.
  a.activation = config.activation("hidden_activation", "gelu_pytorch_tanh");
  a.scales_embedding = true;
  if (config.flag("attention_bias", false)) a.bias.query = a.bias.key = a.bias.value = a.bias.output = true;
  return a;
}

Architecture gemma(ModelConfig& config, const CheckpointFiles& files) {
  return gemma_like(config, files,
                    {.d_model = 3072,
                     .d_ff = 24576,
                     .n_layers = 28,
                     .n_heads = 16,
                     .n_kv_heads = 16,
                     .d_head = 256,
                     .context = 8192,
                     .is_tied = true});
}

/// Adds norms before and after each sublayer, windows, and a separate scale for the scores.
Architecture gemma_with_windows(ModelConfig& config, const CheckpointFiles& files, const LlamaDefaults& of,
                                int window_pattern) {
  Architecture a = gemma_like(config, files, of);
  a.norm = Norm::both;
  const auto scalar = config.decimal("query_pre_attn_scalar", 256.0);
  config.refuse_unless(scalar > 0.0F, "query_pre_attn_scalar", "but must be above 0");
  a.score_scale = 1.0F / std::sqrt(scalar);
  a.logit_softcap = config.decimal("final_logit_softcapping", 0.0);
  a.softcap = config.decimal("attn_logit_softcapping", 0.0);
  if (a.n_layers > ArchitectureLimits::max_layers) return a;
  std::vector<bool> slides = sliding_layers(config, a.n_layers);
  const int every = config.whole("sliding_window_pattern", window_pattern);
  if (slides.empty()) {
    for (int l = 0; l < a.n_layers; ++l) slides.push_back(every == 0 || (l + 1) % every != 0);
  }
  set_windows(config, config.whole("sliding_window", 4096, 0), slides, a);
  config.refuse_unless(!config.flag("use_bidirectional_attention", false), "use_bidirectional_attention",
                       "but only causal Gemma models are supported");
  return a;
}

constexpr LlamaDefaults gemma2_defaults{.d_model = 2304,
                                        .d_ff = 9216,
                                        .n_layers = 26,
                                        .n_heads = 8,
                                        .n_kv_heads = 4,
                                        .d_head = 256,
                                        .context = 8192,
                                        .is_tied = true};

Architecture gemma2(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = gemma_with_windows(config, files, gemma2_defaults, 2);
  const auto left_out = [&](const char* key) { return !config.contains(key); };
  if (left_out("final_logit_softcapping")) a.logit_softcap = 30.0F;
  if (left_out("attn_logit_softcapping")) a.softcap = 50.0F;
  return a;
}

Architecture gemma3_text(ModelConfig& config, const CheckpointFiles& files, bool is_tied) {
  LlamaDefaults of = gemma2_defaults;
  of.is_tied = is_tied;
  of.context = 131072;
  of.base = 1e6;
  Architecture a = gemma_with_windows(config, files, of, 6);
  a.qk_norm = true;
  if (a.rotary.local_base <= 0.0F) a.rotary.local_base = config.decimal("rope_local_base_freq", 10000.0);
  return a;
}

/// The text model inside a model that also reads pictures.
Architecture gemma3(ModelConfig& config, const CheckpointFiles& files) {
  std::optional<ModelConfig> text = config.inside("text_config");
  const bool is_tied = config.flag("tie_word_embeddings", true);
  if (!text) return gemma3_text(config, files, is_tied);
  Architecture a = gemma3_text(*text, files, is_tied);
  if (!text->error().empty()) config.fail("in its text_config, " + text->error());
  return a;
}

constexpr std::array gemma_rules{
    llama_table_rule,
    tied_table_rule,
    TensorRule{"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight", in_out, whole, 1.0F},
    TensorRule{"layers.{l}.self.W_Q", "layers.{l}.self_attn.q_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_K", "layers.{l}.self_attn.k_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_V", "layers.{l}.self_attn.v_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_O", "layers.{l}.self_attn.o_proj.weight", out_in},
    TensorRule{"layers.{l}.self.b_Q", "layers.{l}.self_attn.q_proj.bias"},
    TensorRule{"layers.{l}.self.b_K", "layers.{l}.self_attn.k_proj.bias"},
    TensorRule{"layers.{l}.self.b_V", "layers.{l}.self_attn.v_proj.bias"},
    TensorRule{"layers.{l}.self.b_O", "layers.{l}.self_attn.o_proj.bias"},
    TensorRule{"layers.{l}.feed_forward.norm.gain", "layers.{l}.post_attention_layernorm.weight", in_out,
               whole, 1.0F},
    TensorRule{"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.gate_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_up", "layers.{l}.mlp.up_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.down_proj.weight", out_in},
    TensorRule{"norm.gain", "norm.weight", in_out, whole, 1.0F},
    llama_words_rule,
};
constexpr std::array gemma2_rules{
    llama_table_rule,
    tied_table_rule,
    TensorRule{"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight", in_out, whole, 1.0F},
    TensorRule{"layers.{l}.self.output_norm.gain", "layers.{l}.post_attention_layernorm.weight", in_out,
               whole, 1.0F},
    TensorRule{"layers.{l}.self.W_Q", "layers.{l}.self_attn.q_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_K", "layers.{l}.self_attn.k_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_V", "layers.{l}.self_attn.v_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_O", "layers.{l}.self_attn.o_proj.weight", out_in},
    TensorRule{"layers.{l}.self.b_Q", "layers.{l}.self_attn.q_proj.bias"},
    TensorRule{"layers.{l}.self.b_K", "layers.{l}.self_attn.k_proj.bias"},
    TensorRule{"layers.{l}.self.b_V", "layers.{l}.self_attn.v_proj.bias"},
    TensorRule{"layers.{l}.self.b_O", "layers.{l}.self_attn.o_proj.bias"},
    TensorRule{"layers.{l}.self.query_norm.gain", "layers.{l}.self_attn.q_norm.weight", in_out, whole, 1.0F},
    TensorRule{"layers.{l}.self.key_norm.gain", "layers.{l}.self_attn.k_norm.weight", in_out, whole, 1.0F},
    TensorRule{"layers.{l}.feed_forward.norm.gain", "layers.{l}.pre_feedforward_layernorm.weight", in_out,
               whole, 1.0F},
    TensorRule{"layers.{l}.feed_forward.output_norm.gain", "layers.{l}.post_feedforward_layernorm.weight",
               in_out, whole, 1.0F},
    TensorRule{"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.gate_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_up", "layers.{l}.mlp.up_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.down_proj.weight", out_in},
    TensorRule{"norm.gain", "norm.weight", in_out, whole, 1.0F},
    llama_words_rule,
};
Architecture phi(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {.d_model = 2048, .d_ff = 8192, .n_layers = 24});
  a.norm_kind = NormKind::layer;
  a.gated = false;
  a.block = Block::parallel_shared;
  a.bias = {};
  a.activation = config.activation("hidden_act", "gelu_new");
  a.norm_epsilon = config.decimal("layer_norm_eps", 1e-5);
  a.rotary.fraction = rotary_fraction(config, "partial_rotary_factor", 0.5);
  config.refuse_unless(!config.flag("qk_layernorm", false), "qk_layernorm", "which is not supported");
  return a;
}

constexpr std::array phi_rules{
    llama_table_rule,
    tied_table_rule,
    TensorRule{"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"},
    TensorRule{"layers.{l}.self.norm.bias", "layers.{l}.input_layernorm.bias"},
    TensorRule{"layers.{l}.self.W_Q", "layers.{l}.self_attn.q_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_K", "layers.{l}.self_attn.k_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_V", "layers.{l}.self_attn.v_proj.weight", out_in},
    TensorRule{"layers.{l}.self.W_O", "layers.{l}.self_attn.dense.weight", out_in},
    TensorRule{"layers.{l}.self.b_Q", "layers.{l}.self_attn.q_proj.bias"},
    TensorRule{"layers.{l}.self.b_K", "layers.{l}.self_attn.k_proj.bias"},
    TensorRule{"layers.{l}.self.b_V", "layers.{l}.self_attn.v_proj.bias"},
    TensorRule{"layers.{l}.self.b_O", "layers.{l}.self_attn.dense.bias"},
    TensorRule{"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.fc1.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.b_1", "layers.{l}.mlp.fc1.bias"},
    TensorRule{"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.fc2.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.b_2", "layers.{l}.mlp.fc2.bias"},
    TensorRule{"norm.gain", "final_layernorm.weight"},
    TensorRule{"norm.bias", "final_layernorm.bias"},
    llama_words_rule,
    TensorRule{"logits.b", "^lm_head.bias"},
};

Architecture phi3(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = llama_like(config, files, {.d_model = 3072, .d_ff = 8192, .context = 4096});
  a.norm_epsilon = config.decimal("rms_norm_eps", 1e-5);
  a.rotary.fraction = rotary_fraction(config, "partial_rotary_factor", 1.0);
  set_window_of_all(config, 0, a);
  return a;
}

constexpr std::array phi3_rules{
    llama_table_rule,
    tied_table_rule,
    TensorRule{"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"},
    TensorRule{"layers.{l}.self.W_Q", "layers.{l}.self_attn.qkv_proj.weight", out_in, query},
    TensorRule{"layers.{l}.self.W_K", "layers.{l}.self_attn.qkv_proj.weight", out_in, key},
    TensorRule{"layers.{l}.self.W_V", "layers.{l}.self_attn.qkv_proj.weight", out_in, value},
    TensorRule{"layers.{l}.self.W_O", "layers.{l}.self_attn.o_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.norm.gain", "layers.{l}.post_attention_layernorm.weight"},
    TensorRule{"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.gate_up_proj.weight", out_in, first_half},
    TensorRule{"layers.{l}.feed_forward.W_up", "layers.{l}.mlp.gate_up_proj.weight", out_in, second_half},
    TensorRule{"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.down_proj.weight", out_in},
    TensorRule{"norm.gain", "norm.weight"},
    llama_words_rule,
};

constexpr std::array llama_types{Names("llama")};
constexpr std::array mistral_types{Names("mistral")};
constexpr std::array qwen2_types{Names("qwen2")};
constexpr std::array qwen3_types{Names("qwen3")};
constexpr std::array gemma_types{Names("gemma")};
constexpr std::array gemma2_types{Names("gemma2")};
constexpr std::array gemma3_types{Names("gemma3_text"), Names("gemma3")};
constexpr std::array phi_types{Names("phi")};
constexpr std::array phi3_types{Names("phi3")};

}  // namespace

std::span<const Family> llama_families() {
  static constexpr std::array all{
      Family{"Llama", llama_types, llama_prefixes, llama, llama_rules, llama_unused},
      Family{"Mistral", mistral_types, llama_prefixes, mistral, llama_rules, llama_unused},
      Family{"Qwen 2", qwen2_types, llama_prefixes, qwen2, llama_rules, llama_unused},
      Family{"Qwen 3", qwen3_types, llama_prefixes, qwen3, llama_rules, llama_unused},
      Family{"Gemma", gemma_types, llama_prefixes, gemma, gemma_rules, llama_unused},
      Family{"Gemma 2", gemma2_types, llama_prefixes, gemma2, gemma2_rules, llama_unused},
      Family{"Gemma 3", gemma3_types, llama_prefixes, gemma3, gemma2_rules, llama_unused},
      Family{"Phi", phi_types, llama_prefixes, phi, phi_rules, llama_unused},
      Family{"Phi-3", phi3_types, llama_prefixes, phi3, phi3_rules, llama_unused}};
  return all;
}

}  // namespace headscope
