#include <algorithm>
#include <array>
#include <cmath>

#include "core/checkpoint/llama_parts.h"

namespace headscope {
namespace {

using enum ReadTimes;
using enum StoredPart;
using Names = std::string_view;

constexpr LlamaDefaults gemma_defaults{3072, 24576, 28, 16, 16, 256, 8192, 1e4, true};
constexpr LlamaDefaults gemma2_defaults{2304, 9216, 26, 8, 4, 256, 8192, 1e4, true};

constexpr LlamaDefaults gemma3n_defaults{2048, 16384, 35, 8, 2, 256, 32768, 1e6, true, nullptr, true};
constexpr LlamaDefaults gemma4_defaults{2304, 9216, 30, 8, 4, 256, 131072, 1e6, true};

/// Gemma's norms multiply by 1 + the stored number, and its embeddings are multiplied by √d_model.
Architecture gemma_like(ModelConfig& config, const CheckpointFiles& files, const LlamaDefaults& of) {
  Architecture a = llama_like(config, files, of);
  // hidden_act is obsolete: the models use the approximation, as hidden_activation says.
  a.activation = config.activation("hidden_activation", "gelu_pytorch_tanh");
  a.scales_embedding = true;
  set_attention_bias(config, a);
  return a;
}

Architecture gemma(ModelConfig& config, const CheckpointFiles& files) {
  return gemma_like(config, files, gemma_defaults);
}

/// A limit that has a default where it is left out; null stands for none.
float limit_or(ModelConfig& config, std::string_view key, double fallback) {
  const float limit = config.decimal(key, config.contains(key) ? 0.0 : fallback);
  config.require(limit > 0.0F || !config.has(key), key, "but must be above 0, or null for none");
  return limit;
}

/// Adds norms before and after each sublayer, windows, and a separate scale for the scores.
Architecture gemma_with_windows(ModelConfig& config, const CheckpointFiles& files, const LlamaDefaults& of,
                                int window_pattern) {
  Architecture a = gemma_like(config, files, of);
  a.norm = Norm::both;
  const auto scalar = config.decimal("query_pre_attn_scalar", 256.0);
  config.require(scalar > 0.0F, "query_pre_attn_scalar", "but must be above 0");
  a.score_scale = 1.0F / std::sqrt(scalar);
  a.logit_softcap = limit_or(config, "final_logit_softcapping", 0.0);
  a.softcap = limit_or(config, "attn_logit_softcapping", 0.0);
  const int every = config.whole("sliding_window_pattern", window_pattern);
  config.has("sliding_window_size");  // Repeats sliding_window; nothing reads it.
  set_windows(config, config.whole("sliding_window", 4096, 0), sliding_layers_or(config, a.n_layers, every),
              a);
  config.require(!config.flag("use_bidirectional_attention", false), "use_bidirectional_attention",
                 "but only causal Gemma models are supported");
  return a;
}

Architecture gemma2(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = gemma_with_windows(config, files, gemma2_defaults, 2);
  a.logit_softcap = limit_or(config, "final_logit_softcapping", 30.0);
  a.softcap = limit_or(config, "attn_logit_softcapping", 50.0);
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

/// Sets the window, which must be one, as layers that have it rotate with a base of their own.
void set_window(ModelConfig& config, const std::vector<bool>& slides, Architecture& a) {
  const int window = config.whole("sliding_window", 512);
  config.require(window > 0 && window <= ArchitectureLimits::max_sliding_window, "sliding_window",
                 "but must be from 1 to 1,000,000");
  set_windows(config, window, slides, a);
}

/// Sets the sizes of layers without a window.
void set_global_layers(ModelConfig& config, const std::vector<bool>& slides, Architecture& a) {
  const bool values_from_keys = config.flag("attention_k_eq_v", false);
  const int n_kv_heads = config.whole("num_global_key_value_heads", 0, 0);
  LayerOwn global{.d_head = config.whole("global_head_dim", 512, 0)};
  if (values_from_keys) global.n_kv_heads = n_kv_heads;
  // Newer files list the sizes of single layers.
  const bool has_list = config.has("per_layer_config");
  for (const bool has_window : slides) {
    a.foreign.own.push_back(has_window || has_list ? LayerOwn() : global);
    a.foreign.own.back().values_from_keys = values_from_keys && !has_window;
  }
  std::optional<ModelConfig> list = config.inside("per_layer_config");
  for (std::size_t l = 0; list && l < slides.size(); ++l) {
    // The numbers of layers may begin with zeros, so that all have the same length.
    std::string key = std::to_string(l);
    constexpr std::size_t longest = 5;
    while (!list->contains(key) && key.size() < longest) key.insert(0, 1, '0');
    std::optional<ModelConfig> of_layer = list->inside(key);
    if (!of_layer) continue;
    a.foreign.own[l].d_head = of_layer->whole("head_dim", 0);
    a.foreign.own[l].n_kv_heads = of_layer->whole("num_key_value_heads", 0);
  }
}

/// Makes the last layers use the keys and values of the last layer of their kind before them.
void share_keys(ModelConfig& config, int usual, const std::vector<bool>& slides, Architecture& a) {
  const int n_shared = config.whole("num_kv_shared_layers", usual, 0);
  const auto n_layers = static_cast<int>(slides.size());
  const bool fits = n_shared < std::max(n_layers, 1);
  config.require(fits, "num_kv_shared_layers", "but must be less than num_hidden_layers");
  const int first = fits ? n_layers - n_shared : n_layers;
  for (int layer = first; layer < n_layers; ++layer) {
    int from = first - 1;
    const auto l = static_cast<std::size_t>(layer);
    while (from >= 0 && slides[static_cast<std::size_t>(from)] != slides[l]) --from;
    config.require(from >= 0, "num_kv_shared_layers",
                   "but no layer before those has the keys and values of their kind of attention");
    a.foreign.own[l].keys_of = from;
    a.foreign.own[l].values_from_keys = false;
  }
}

/// Sets the embeddings that enter the layers.
void set_layer_inputs(ModelConfig& config, Architecture& a) {
  const int width = config.whole("hidden_size_per_layer_input", 256, 0);
  const int rows = config.whole("vocab_size_per_layer_input", 262144);
  if (width != 0) a.foreign.layer_inputs = LayerInputs{width, rows};
}

/// Adds norms before and after each sublayer and of queries, keys and values, which replace the scale of the
/// scores.
Architecture gemma_with_value_norm(ModelConfig& config, const CheckpointFiles& files, LlamaDefaults of,
                                   bool is_tied) {
  of.is_tied = is_tied;
  Architecture a = gemma_like(config, files, of);
  a.norm = Norm::both;
  a.qk_norm = true;
  a.score_scale = 1.0F;
  a.foreign.value_norm = true;
  return a;
}

Architecture gemma4_text(ModelConfig& config, const CheckpointFiles& files, bool is_tied) {
  Architecture a = gemma_with_value_norm(config, files, gemma4_defaults, is_tied);
  a.logit_softcap = limit_or(config, "final_logit_softcapping", 0.0);
  a.foreign.layer_scalar = true;
  if (!config.has("rope_parameters")) {
    a.rotary.local_base = 10000.0F;
    a.rotary.is_proportional = true;
    a.rotary.fraction = 0.25F;
  }
  config.require(a.rotary.local_base > 0.0F, "rope_parameters",
                 "but must have sliding_attention and full_attention");
  std::vector<bool> slides = sliding_layers_or(config, a.n_layers, 6);
  if (!slides.empty()) slides.back() = false;
  set_window(config, slides, a);
  set_global_layers(config, slides, a);
  config.require(config.text("use_bidirectional_attention", "vision") == "vision",
                 "use_bidirectional_attention",
                 "but only models whose words see earlier words are supported");
  share_keys(config, 0, slides, a);
  set_layer_inputs(config, a);
  // Only layers that use the keys and values of another are wider.
  const bool is_double = config.flag("use_double_wide_mlp", false);
  bool has_wide = false;
  for (LayerOwn& own : a.foreign.own) {
    if (!is_double || own.keys_of < 0) continue;
    own.d_ff = 2 * a.d_ff;
    has_wide = true;
  }
  if (config.flag("enable_moe_block", false)) {
    config.require(!has_wide, "use_double_wide_mlp", "which is not supported beside experts");
    config.require(a.d_ff > 0, "intermediate_size", "but must be above 0 beside experts");
    const Experts experts{.count = config.whole("num_experts"),
                          .top_k = config.whole("top_k_experts"),
                          .width = config.whole("moe_intermediate_size"),
                          .renormalizes = true,
                          .dense_width = a.d_ff};
    set_experts(config, "num_experts", experts, a);
  }
  for (const char* key : {"num_experts", "top_k_experts", "moe_intermediate_size"})
    config.has(key);  // Without experts, they have no effect.
  return a;
}

/// Sets what differs between the feed-forward layers of Gemma 3n: their widths, and how many gates are 0.
void set_feed_forward_layers(ModelConfig& config, Architecture& a) {
  const nlohmann::json& widths = config.value("intermediate_size");
  const nlohmann::json& shares = config.value("activation_sparsity_pattern");
  const auto fits = [&](const nlohmann::json& list) {
    return list.is_null() || list.is_number() ||
           (list.is_array() && list.size() == a.foreign.own.size() &&
            std::ranges::all_of(list, [](const auto& each) { return each.is_number() && each >= 0.0; }));
  };
  const auto is_width = [](const auto& each) {
    return each.is_number_integer() && each <= ArchitectureLimits::max_d_ff;
  };
  const bool are_widths = fits(widths) && (!widths.is_array() || std::ranges::all_of(widths, is_width));
  config.require(are_widths, "intermediate_size",
                 "but must have a whole number from 0 to 1,048,576 for each layer");
  config.require(fits(shares), "activation_sparsity_pattern",
                 "but must have a number of at least 0 for each layer");
  if (!are_widths || !fits(shares)) return;
  constexpr int n_sparse = 10;
  constexpr float usual_share = 0.95F;
  for (std::size_t l = 0; l < a.foreign.own.size(); ++l) {
    LayerOwn& own = a.foreign.own[l];
    if (widths.is_array()) own.d_ff = widths[l].get<int>();
    const bool is_usual = l < n_sparse && a.n_layers > n_sparse;
    own.sparsity = shares.is_array()    ? shares[l].get<float>()
                   : shares.is_number() ? shares.get<float>()
                   : is_usual           ? usual_share
                                        : 0.0F;
  }
  if (widths.is_array() && !widths.empty()) a.d_ff = a.foreign.own.front().d_ff;
  for (LayerOwn& own : a.foreign.own) {
    config.require(own.sparsity <= 0.999F, "activation_sparsity_pattern", "but must be from 0 to 0.999");
    if (own.d_ff == a.d_ff) own.d_ff = 0;
  }
}

Architecture gemma3n_text(ModelConfig& config, const CheckpointFiles& files, bool is_tied) {
  Architecture a = gemma_with_value_norm(config, files, gemma3n_defaults, is_tied);
  a.logit_softcap = limit_or(config, "final_logit_softcapping", 30.0);
  const float local_base = config.decimal("rope_local_base_freq", 10000.0);
  if (a.rotary.local_base <= 0.0F) a.rotary.local_base = local_base;
  const std::vector<bool> slides = sliding_layers_or(config, a.n_layers, 5);
  set_window(config, slides, a);
  a.foreign.own.resize(slides.size());
  share_keys(config, 15, slides, a);
  set_layer_inputs(config, a);
  config.require(a.foreign.layer_inputs.has_value(), "hidden_size_per_layer_input", "but must be above 0");
  set_feed_forward_layers(config, a);
  a.foreign.streams = Streams{.count = config.whole("altup_num_inputs", 4),
                              .limit = limit_or(config, "altup_coef_clip", 120.0),
                              .scales = config.flag("altup_correct_scale", true),
                              .laurel_rank = config.whole("laurel_rank", 64)};
  config.require(config.whole("altup_active_idx", 0) == 0, "altup_active_idx", "but only 0 is supported");
  for (const char* key : {"query_pre_attn_scalar", "altup_lr_multiplier"})
    config.has(key);  // Without effect.
  return a;
}

/// The text model inside a model that also reads pictures.
template <auto text_model>
Architecture text_part(ModelConfig& config, const CheckpointFiles& files) {
  std::optional<ModelConfig> text = config.inside("text_config");
  const bool is_tied = config.flag("tie_word_embeddings", true);
  return text_model(text ? *text : config, files, is_tied);
}

constexpr TensorRule of_streams(Names path, Names tensor) {
  return {.path = path, .tensor = tensor, .joined_of = JoinedOf::streams};
}
/// A gain of which a file stores the difference to 1.
constexpr TensorRule gemma_gain(Names path, Names tensor) {
  return {.path = path, .tensor = tensor, .plus = 1.0F};
}
constexpr auto gemma_rules =
    joined(llama_linear,
           rules({
               gemma_gain("layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"),
               gemma_gain("layers.{l}.feed_forward.norm.gain", "layers.{l}.post_attention_layernorm.weight"),
               gemma_gain("norm.gain", "norm.weight"),
           }));
constexpr auto gemma2_rules =
    joined(llama_linear,
           rules({
               gemma_gain("layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"),
               gemma_gain("layers.{l}.self.output_norm.gain", "layers.{l}.post_attention_layernorm.weight"),
               gemma_gain("layers.{l}.self.query_norm.gain", "layers.{l}.self_attn.q_norm.weight"),
               gemma_gain("layers.{l}.self.key_norm.gain", "layers.{l}.self_attn.k_norm.weight"),
               gemma_gain("layers.{l}.feed_forward.norm.gain", "layers.{l}.pre_feedforward_layernorm.weight"),
               gemma_gain("layers.{l}.feed_forward.output_norm.gain",
                          "layers.{l}.post_feedforward_layernorm.weight"),
               gemma_gain("norm.gain", "norm.weight"),
           }));

/// Also those of layers that use the keys and values of another.
constexpr std::array gemma4_unused{Names("lm_head.weight"), Names("*.self_attn.k_proj.weight"),
                                   Names("*.self_attn.v_proj.weight"), Names("*.self_attn.k_norm.weight")};
constexpr auto layer_input_rules = rules({
    {"per_layer.table", "embed_tokens_per_layer.weight"},
    times(over_root_width, "per_layer.W_C", "per_layer_model_projection.weight"),
    times(root_half, "per_layer.norm.gain", "per_layer_projection_norm.weight"),
    {"layers.{l}.per_layer.W_G", "layers.{l}.per_layer_input_gate.weight"},
    {"layers.{l}.per_layer.W_O", "layers.{l}.per_layer_projection.weight"},
    {"layers.{l}.per_layer.output_norm.gain", "layers.{l}.post_per_layer_input_norm.weight"},
});
/// With experts. The names of the dense layer's parts are those of the only layer in other models.
constexpr auto gemma4_expert_rules = rules({
    times(over_root_width, "layers.{l}.feed_forward.router.norm.gain", "layers.{l}.router.scale"),
    {"layers.{l}.feed_forward.router.W", "layers.{l}.router.proj.weight"},
    {"layers.{l}.feed_forward.router.factors", "layers.{l}.router.per_expert_scale"},
    {"layers.{l}.feed_forward.norm.gain", "layers.{l}.pre_feedforward_layernorm_2.weight"},
    of_experts("layers.{l}.feed_forward.W_1", "layers.{l}.experts.gate_up_proj.{e}", first_half),
    of_experts("layers.{l}.feed_forward.W_up", "layers.{l}.experts.gate_up_proj.{e}", second_half),
    of_experts("layers.{l}.feed_forward.W_2", "layers.{l}.experts.down_proj.{e}"),
    {"layers.{l}.feed_forward.output_norm.gain", "layers.{l}.post_feedforward_layernorm_2.weight"},
    {"layers.{l}.feed_forward.dense.norm.gain", "layers.{l}.pre_feedforward_layernorm.weight"},
    {"layers.{l}.feed_forward.dense.W_1", "layers.{l}.mlp.gate_proj.weight"},
    {"layers.{l}.feed_forward.dense.W_up", "layers.{l}.mlp.up_proj.weight"},
    {"layers.{l}.feed_forward.dense.W_2", "layers.{l}.mlp.down_proj.weight"},
    {"layers.{l}.feed_forward.dense.output_norm.gain", "layers.{l}.post_feedforward_layernorm_1.weight"},
    {"layers.{l}.feed_forward.sum_norm.gain", "layers.{l}.post_feedforward_layernorm.weight"},
});
/// Gains as they are.
constexpr auto gemma4_rules =
    joined(llama_words, gemma4_expert_rules, llama_projections, llama_outputs, llama_gated, head_norms,
           layer_input_rules,
           rules({
               {"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"},
               {"layers.{l}.self.output_norm.gain", "layers.{l}.post_attention_layernorm.weight"},
               {"layers.{l}.feed_forward.norm.gain", "layers.{l}.pre_feedforward_layernorm.weight"},
               {"layers.{l}.feed_forward.output_norm.gain", "layers.{l}.post_feedforward_layernorm.weight"},
               {"layers.{l}.output_factor", "layers.{l}.layer_scalar"},
               {"norm.gain", "norm.weight"},
           }));

constexpr auto gemma3n_rules = joined(
    gemma4_rules,
    rules({
        of_streams("streams.W", "altup_projections.{e}.weight"),
        of_streams("streams.W_end", "altup_unembed_projections.{e}.weight"),
        times(over_width, "layers.{l}.streams.router.norm.gain", "layers.{l}.altup.router_norm.weight"),
        {"layers.{l}.streams.router.W", "layers.{l}.altup.modality_router.weight"},
        {"layers.{l}.streams.W_P", "layers.{l}.altup.prediction_coefs.weight"},
        {"layers.{l}.streams.W_C", "layers.{l}.altup.correction_coefs.weight"},
        {"layers.{l}.streams.gain", "layers.{l}.altup.correct_output_scale"},
        {"layers.{l}.laurel.W_L", "layers.{l}.laurel.linear_left.weight"},
        {"layers.{l}.laurel.W_R", "layers.{l}.laurel.linear_right.weight"},
        {"layers.{l}.laurel.norm.gain", "layers.{l}.laurel.post_laurel_norm.weight"},
    }));
/// Also the gain of models that do not use it.
constexpr auto gemma3n_unused = joined(gemma4_unused, std::array{Names("*.altup.correct_output_scale")});

}  // namespace

std::span<const Family> gemma_families() {
  static constexpr std::array all{
      Family{"Gemma", {"gemma"}, llama_prefixes, gemma, gemma_rules, llama_unused},
      Family{"Gemma 2", {"gemma2"}, llama_prefixes, gemma2, gemma2_rules, llama_unused},
      Family{"Gemma 3",
             {"gemma3_text", "gemma3"},
             llama_prefixes,
             text_part<gemma3_text>,
             gemma2_rules,
             llama_unused},
      Family{"Gemma 3n",
             {"gemma3n_text", "gemma3n"},
             llama_prefixes,
             text_part<gemma3n_text>,
             gemma3n_rules,
             gemma3n_unused},
      Family{"Gemma 4",
             {"gemma4_text", "gemma4"},
             llama_prefixes,
             text_part<gemma4_text>,
             gemma4_rules,
             gemma4_unused}};
  return all;
}

}  // namespace headscope
