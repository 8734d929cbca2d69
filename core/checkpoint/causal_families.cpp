#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "core/checkpoint/family.h"

namespace headscope {
namespace {

using enum StoredAs;
using enum StoredPart;
using Names = std::string_view;

/// The defaults of a family's configuration. Those given here are GPT-2's.
struct GptDefaults {
  int n_layers = 12, d_model = 768, n_heads = 12;
  std::string_view activation = "gelu_new";
};

/// Sizes under the names that GPT-2 has for them.
Architecture gpt_like(ModelConfig& config, const GptDefaults& of) {
  Architecture a = causal_layers(config);
  a.n_layers = config.whole("n_layer", config.whole("num_hidden_layers", of.n_layers));
  a.d_model = config.whole("n_embd", config.whole("hidden_size", of.d_model));
  a.n_heads = config.whole("n_head", config.whole("num_attention_heads", of.n_heads));
  a.d_ff = config.whole("n_inner", 4 * a.d_model);
  a.activation = config.activation("activation_function", of.activation);
  a.norm_epsilon = config.decimal("layer_norm_epsilon", 1e-5);
  if (!config.flag("scale_attn_weights", true)) a.score_scale = 1.0F;
  return a;
}

/// Learned positions, with a table row for each of this many tokens.
void set_learned_positions(ModelConfig& config, Architecture& a) {
  a.positions = Positions::learned;
  a.foreign.position_rows = config.whole("n_positions", config.whole("max_position_embeddings", 1024));
}

Architecture gpt2(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = gpt_like(config, {});
  set_learned_positions(config, a);
  config.require(!config.flag("scale_attn_by_inverse_layer_idx", false), "scale_attn_by_inverse_layer_idx",
                 "which is not supported");
  config.require(!config.flag("add_cross_attention", false), "add_cross_attention", "which is not supported");
  set_output_layer(config, files, "lm_head.weight", true, a);
  return a;
}

constexpr std::array transformer_prefixes{Names("transformer."), Names("")};
/// The common properties of families that name their parts as GPT-2 does.
constexpr auto gpt_rules = rules({
    {"embedding.table", "wte.weight"},
    tied_table_rule,
    {"positions.table", "wpe.weight"},
    {"layers.{l}.self.norm.gain", "h.{l}.ln_1.weight"},
    {"layers.{l}.feed_forward.norm.gain", "h.{l}.ln_2.weight"},
    {"norm.gain", "ln_f.weight"},
    {"logits.W", "^lm_head.weight"},
});
constexpr auto gpt2_rules =
    joined(gpt_rules, rules({
                          {"layers.{l}.self.W_Q", "h.{l}.attn.c_attn.weight", query, in_out},
                          {"layers.{l}.self.W_K", "h.{l}.attn.c_attn.weight", key, in_out},
                          {"layers.{l}.self.W_V", "h.{l}.attn.c_attn.weight", value, in_out},
                          {"layers.{l}.self.W_O", "h.{l}.attn.c_proj.weight", whole, in_out},
                          {"layers.{l}.feed_forward.W_1", "h.{l}.mlp.c_fc.weight", whole, in_out},
                          {"layers.{l}.feed_forward.W_2", "h.{l}.mlp.c_proj.weight", whole, in_out},
                      }));
/// Causal masks that files keep as buffers, and copies of tied weights.
constexpr std::array gpt_unused{Names("*h.*.attn.bias"), Names("*attn.causal_mask"),
                                Names("*attn.attention.bias"), Names("lm_head.weight")};

/// One key and one value for all heads, or as many as heads.
Architecture gpt_bigcode(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = gpt_like(config, {.activation = "gelu_pytorch_tanh"});
  set_learned_positions(config, a);
  if (config.flag("multi_query", true)) a.n_kv_heads = 1;
  config.has("pad_key_length");  // Only for speed.
  for (const char* key : {"scale_attention_softmax_in_fp32", "inference_runner", "validate_runner_input",
                          "pre_allocate_kv_cache", "max_batch_size", "max_sequence_length"})
    config.has(key);  // How transformers runs the model.
  set_output_layer(config, files, "lm_head.weight", true, a);
  return a;
}

constexpr auto gpt_bigcode_rules =
    joined(gpt_rules, rules({
                          {"layers.{l}.self.W_Q", "h.{l}.attn.c_attn.weight", query_of_group},
                          {"layers.{l}.self.W_K", "h.{l}.attn.c_attn.weight", key_of_group},
                          {"layers.{l}.self.W_V", "h.{l}.attn.c_attn.weight", value_of_group},
                          {"layers.{l}.self.W_O", "h.{l}.attn.c_proj.weight"},
                          {"layers.{l}.feed_forward.W_1", "h.{l}.mlp.c_fc.weight"},
                          {"layers.{l}.feed_forward.W_2", "h.{l}.mlp.c_proj.weight"},
                      }));

/// Both sublayers read the same norm, and rotary positions turn neighbouring dimensions.
Architecture gptj(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = gpt_like(config, {.n_layers = 28, .d_model = 4096, .n_heads = 16});
  a.bias.query = a.bias.key = a.bias.value = a.bias.output = false;
  a.block = Block::parallel_shared;
  a.foreign.context = config.whole("n_positions", config.whole("max_position_embeddings", 2048));
  set_rotary(config, 10000.0, a.foreign.context, a);
  a.rotary.pairing = RotaryPairing::interleaved;
  const int turned = config.whole("rotary_dim", 64, 0);
  const int width = a.d_model / a.n_heads;
  a.rotary.fraction = static_cast<float>(turned) / static_cast<float>(std::max(width, 1));
  config.require(turned > 0 && turned <= width, "rotary_dim",
                 "but must be from 1 to the width of a head, " + std::to_string(width));
  config.require(config.flag("rotary", true), "rotary", "but only rotary positions are supported");
  set_output_layer(config, files, "lm_head.weight", false, a);
  return a;
}

constexpr auto gptj_rest = rules({
    {"layers.{l}.self.W_O", "h.{l}.attn.out_proj.weight"},
    {"layers.{l}.feed_forward.W_1", "h.{l}.mlp.fc_in.weight"},
    {"layers.{l}.feed_forward.W_2", "h.{l}.mlp.fc_out.weight"},
});
constexpr auto gptj_rules = joined(gpt_rules, gptj_rest,
                                   rules({
                                       {"layers.{l}.self.W_Q", "h.{l}.attn.q_proj.weight"},
                                       {"layers.{l}.self.W_K", "h.{l}.attn.k_proj.weight"},
                                       {"layers.{l}.self.W_V", "h.{l}.attn.v_proj.weight"},
                                   }));

/// GPT-J with its queries, values and keys in one tensor, a quarter of the heads after another.
Architecture codegen(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = gptj(config, files);
  if (a.n_heads % 4 != 0) config.fail("its heads do not divide into 4 equal parts");
  return a;
}

constexpr auto codegen_rules =
    joined(gpt_rules, gptj_rest,
           rules({
               {"layers.{l}.self.W_Q", "h.{l}.attn.qkv_proj.weight", query_of_quarter},
               {"layers.{l}.self.W_K", "h.{l}.attn.qkv_proj.weight", key_of_quarter},
               {"layers.{l}.self.W_V", "h.{l}.attn.qkv_proj.weight", value_of_quarter},
           }));

/// Applies MPT's nested attention configuration.
void set_mpt_attention(ModelConfig& attention, Architecture& a) {
  a.score_scale = std::max(attention.decimal("softmax_scale", 0.0), 0.0F);
  attention.require(attention.text("attn_type", "multihead_attention") == "multihead_attention", "attn_type",
                    "but only multihead_attention is supported");
  attention.require(!attention.has("clip_qkv"), "clip_qkv", "which is not supported");
  attention.require(!attention.flag("prefix_lm", false), "prefix_lm", "which is not supported");
  attention.require(!attention.flag("qk_ln", false), "qk_ln", "which is not supported");
  attention.require(attention.flag("alibi", true), "alibi", "but only ALiBi is supported");
  attention.require(attention.whole("alibi_bias_max", 8) == 8, "alibi_bias_max", "but only 8 is supported");
  const nlohmann::json& rotates = attention.value("rope");
  attention.require(rotates.is_null() || rotates == false || rotates == 0, "rope", "which is not supported");
  for (const char* key : {"attn_impl", "attn_uses_sequence_id", "model_type"}) attention.has(key);
}

Architecture mpt(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = causal_layers(config);
  a.n_layers = config.whole("n_layers", config.whole("num_hidden_layers", 24));
  a.d_model = config.whole("d_model", config.whole("hidden_size", 2048));
  a.n_heads = config.whole("n_heads", config.whole("num_attention_heads", 16));
  a.d_ff = 4 * a.d_model;
  a.activation = Activation::gelu;
  a.norm_epsilon = config.decimal("layer_norm_epsilon", 1e-5);
  a.bias = {.query = false, .key = false, .value = false, .output = false, .feed_forward = false};
  a.positions = Positions::alibi;
  a.foreign.context = config.whole("max_seq_len", config.whole("max_position_embeddings", 2048));
  if (std::optional<ModelConfig> attention = config.inside("attn_config")) set_mpt_attention(*attention, a);
  config.require(config.whole("expansion_ratio", 4) == 4, "expansion_ratio", "but only 4 is supported");
  config.require(config.flag("no_bias", true), "no_bias", "but only layers without biases are supported");
  config.require(!config.has("logit_scale"), "logit_scale", "which is not supported");
  config.require(config.text("norm_type", "layernorm").ends_with("layernorm"), "norm_type",
                 "but only layer norms are supported");
  if (std::optional<ModelConfig> ffn = config.inside("ffn_config")) {
    ffn->require(ffn->text("ffn_type", "mptmlp") == "mptmlp", "ffn_type", "but only mptmlp is supported");
    ffn->has("fc_type");
  }
  // learned_pos_emb is not read where there is ALiBi, and the others say how the model was trained.
  for (const char* key :
       {"learned_pos_emb", "verbose", "embedding_fraction", "emb_init_std", "fan_mode", "fc_type"})
    config.has(key);
  set_output_layer(config, files, "lm_head.weight", true, a);
  return a;
}

constexpr auto mpt_rules = rules({
    {"embedding.table", "wte.weight"},
    tied_table_rule,
    {"layers.{l}.self.norm.gain", "blocks.{l}.norm_1.weight"},
    optional_bias("layers.{l}.self.norm.bias", "blocks.{l}.norm_1.bias"),
    {"layers.{l}.self.W_Q", "blocks.{l}.attn.Wqkv.weight", query},
    {"layers.{l}.self.W_K", "blocks.{l}.attn.Wqkv.weight", key},
    {"layers.{l}.self.W_V", "blocks.{l}.attn.Wqkv.weight", value},
    {"layers.{l}.self.W_O", "blocks.{l}.attn.out_proj.weight"},
    {"layers.{l}.feed_forward.norm.gain", "blocks.{l}.norm_2.weight"},
    optional_bias("layers.{l}.feed_forward.norm.bias", "blocks.{l}.norm_2.bias"),
    {"layers.{l}.feed_forward.W_1", "blocks.{l}.ffn.up_proj.weight"},
    {"layers.{l}.feed_forward.W_2", "blocks.{l}.ffn.down_proj.weight"},
    {"norm.gain", "norm_f.weight"},
    optional_bias("norm.bias", "norm_f.bias"),
    {"logits.W", "^lm_head.weight"},
});

/// Sets the norms of a Falcon model: one for both sublayers, one for each of two parallel ones, or one before
/// each of two in sequence.
void set_falcon_block(ModelConfig& config, bool is_new, Architecture& a) {
  const bool is_parallel = config.flag("parallel_attn", true);
  const int n_norms = config.whole("num_ln_in_parallel_attn", is_new ? 2 : 1);
  config.require(n_norms == 1 || (n_norms == 2 && is_parallel), "num_ln_in_parallel_attn",
                 "but only 1, and in a parallel block 2, is supported");
  if (is_parallel) a.block = n_norms == 2 ? Block::parallel : Block::parallel_shared;
}

Architecture falcon(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = causal_layers(config);
  a.n_layers = config.whole("num_hidden_layers", 32);
  a.d_model = config.whole("hidden_size", 4544);
  a.n_heads = config.whole("num_attention_heads", 71);
  a.d_ff = config.whole("ffn_hidden_size", 4 * a.d_model);
  a.activation = config.activation("activation", "gelu");
  a.norm_epsilon = config.decimal("layer_norm_epsilon", 1e-5);
  const bool has_bias = config.flag("bias", false);
  a.bias = {
      .query = has_bias, .key = has_bias, .value = has_bias, .output = has_bias, .feed_forward = has_bias};
  const bool is_new = config.flag("new_decoder_architecture", false);
  const int kv_heads = config.whole("num_kv_heads", a.n_heads);
  const bool shares_one = config.flag("multi_query", true) && !is_new;
  a.n_kv_heads = shares_one ? 1 : is_new ? kv_heads : a.n_heads;
  set_falcon_block(config, is_new, a);
  const int context = config.whole("max_position_embeddings", 2048);
  if (config.flag("alibi", false)) {
    a.positions = Positions::alibi;
    a.foreign.slope_factor = 1.0F / std::sqrt(static_cast<float>(a.d_model) / static_cast<float>(a.n_heads));
  } else {
    a.foreign.context = context;
    set_rotary(config, 10000.0, context, a);
  }
  // Transformers does not read these.
  for (const char* key : {"apply_residual_connection_post_layernorm", "ff_factor"}) config.has(key);
  set_output_layer(config, files, "lm_head.weight", true, a);
  return a;
}

constexpr auto falcon_rules = rules({
    {"embedding.table", "word_embeddings.weight"},
    tied_table_rule,
    {"layers.{l}.self.norm.gain", "h.{l}.input_layernorm.weight"},
    {"layers.{l}.self.norm.gain", "h.{l}.ln_attn.weight"},
    {"layers.{l}.self.W_Q", "h.{l}.self_attention.query_key_value.weight", query_of_group},
    {"layers.{l}.self.W_K", "h.{l}.self_attention.query_key_value.weight", key_of_group},
    {"layers.{l}.self.W_V", "h.{l}.self_attention.query_key_value.weight", value_of_group},
    {"layers.{l}.self.W_O", "h.{l}.self_attention.dense.weight"},
    {"layers.{l}.feed_forward.norm.gain", "h.{l}.post_attention_layernorm.weight"},
    {"layers.{l}.feed_forward.norm.gain", "h.{l}.ln_mlp.weight"},
    {"layers.{l}.feed_forward.W_1", "h.{l}.mlp.dense_h_to_4h.weight"},
    {"layers.{l}.feed_forward.W_2", "h.{l}.mlp.dense_4h_to_h.weight"},
    {"norm.gain", "ln_f.weight"},
    {"logits.W", "^lm_head.weight"},
});

/// Which layers see only a window, from attention_layers or the pairs of attention_types.
std::vector<bool> local_layers(ModelConfig& config, int n_layers) {
  std::vector<bool> local;
  const auto add = [&](const nlohmann::json& names) {
    for (const nlohmann::json& name : names) local.push_back(name == "local");
  };
  const nlohmann::json& layers = config.value("attention_layers");
  const nlohmann::json& types = config.value("attention_types");
  if (layers.is_array()) {
    add(layers);
  } else if (types.is_array()) {
    for (const nlohmann::json& type : types) {
      const bool is_pair =
          type.is_array() && type.size() == 2 && type[0].is_array() && type[1].is_number_unsigned();
      if (!is_pair || type[0].empty()) break;
      for (std::uint64_t n = 0; n < type[1] && local.size() < static_cast<std::size_t>(n_layers); ++n)
        add(type[0]);
    }
  } else if (layers.is_null() && types.is_null()) {
    for (int l = 0; l < n_layers; ++l) local.push_back(l % 2 == 1);
  }
  if (local.size() != static_cast<std::size_t>(n_layers)) {
    config.fail("its attention_types do not give a type for each of its " + std::to_string(n_layers) +
                " layers");
    local.assign(static_cast<std::size_t>(std::max(n_layers, 0)), false);
  }
  return local;
}

Architecture gpt_neo(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = causal_layers(config);
  a.n_layers = config.whole("num_layers", config.whole("num_hidden_layers", 24));
  a.d_model = config.whole("hidden_size", 2048);
  a.n_heads = config.whole("num_heads", config.whole("num_attention_heads", 16));
  a.d_ff = config.whole("intermediate_size", 4 * a.d_model);
  a.activation = config.activation("activation_function", "gelu_new");
  a.norm_epsilon = config.decimal("layer_norm_epsilon", 1e-5);
  a.positions = Positions::learned;
  a.foreign.position_rows = config.whole("max_position_embeddings", 2048);
  a.score_scale = 1.0F;
  a.bias = {.query = false, .key = false, .value = false, .output = true, .feed_forward = true};
  set_windows(config, config.whole("window_size", 256), local_layers(config, a.n_layers), a);
  set_output_layer(config, files, "lm_head.weight", true, a);
  return a;
}

constexpr auto gpt_neo_rules =
    joined(gpt_rules, rules({
                          {"layers.{l}.self.W_Q", "h.{l}.attn.attention.q_proj.weight"},
                          {"layers.{l}.self.W_K", "h.{l}.attn.attention.k_proj.weight"},
                          {"layers.{l}.self.W_V", "h.{l}.attn.attention.v_proj.weight"},
                          {"layers.{l}.self.W_O", "h.{l}.attn.attention.out_proj.weight"},
                          {"layers.{l}.feed_forward.W_1", "h.{l}.mlp.c_fc.weight"},
                          {"layers.{l}.feed_forward.W_2", "h.{l}.mlp.c_proj.weight"},
                      }));

Architecture gpt_neox(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = causal_layers(config);
  a.n_layers = config.whole("num_hidden_layers", 44);
  a.d_model = config.whole("hidden_size", 6144);
  a.n_heads = config.whole("num_attention_heads", 64);
  a.d_ff = config.whole("intermediate_size", 24576);
  a.activation = config.activation("hidden_act", "gelu");
  a.norm_epsilon = config.decimal("layer_norm_eps", 1e-5);
  a.foreign.context = config.whole("max_position_embeddings", 2048);
  const bool has_bias = config.flag("attention_bias", true);
  a.bias = {.query = has_bias, .key = has_bias, .value = has_bias, .output = has_bias, .feed_forward = true};
  a.block = config.flag("use_parallel_residual", true) ? Block::parallel : Block::sequential;
  set_rotary(config, static_cast<double>(config.decimal("rotary_emb_base", 10000.0)), a.foreign.context, a);
  a.rotary.fraction = rotary_fraction(config, "rotary_pct", 0.25);
  set_output_layer(config, files, "embed_out.weight", false, a);
  return a;
}

constexpr std::array gpt_neox_prefixes{Names("gpt_neox."), Names("")};
constexpr auto gpt_neox_rules = rules({
    {"embedding.table", "embed_in.weight"},
    {"layers.{l}.self.norm.gain", "layers.{l}.input_layernorm.weight"},
    {"layers.{l}.self.W_Q", "layers.{l}.attention.query_key_value.weight", query_of_group},
    {"layers.{l}.self.W_K", "layers.{l}.attention.query_key_value.weight", key_of_group},
    {"layers.{l}.self.W_V", "layers.{l}.attention.query_key_value.weight", value_of_group},
    {"layers.{l}.self.W_O", "layers.{l}.attention.dense.weight"},
    {"layers.{l}.feed_forward.norm.gain", "layers.{l}.post_attention_layernorm.weight"},
    {"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.dense_h_to_4h.weight"},
    {"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.dense_4h_to_h.weight"},
    {"norm.gain", "final_layer_norm.weight"},
    {"logits.W", "^embed_out.weight"},
});
constexpr std::array gpt_neox_unused{Names("*attention.bias"), Names("embed_out.weight")};

Architecture opt(ModelConfig& config, const CheckpointFiles& files) {
  constexpr int rows_for_padding = 2;
  Architecture a = causal_layers(config);
  a.n_layers = config.whole("num_hidden_layers", 12);
  a.d_model = config.whole("hidden_size", 768);
  a.n_heads = config.whole("num_attention_heads", 12);
  a.d_ff = config.whole("ffn_dim", 3072);
  a.activation = config.activation("activation_function", "relu");
  a.positions = Positions::learned;
  a.foreign.first_position = rows_for_padding;
  a.foreign.position_rows = config.whole("max_position_embeddings", 2048) + rows_for_padding;
  a.norm = config.flag("do_layer_norm_before", true) ? Norm::pre : Norm::post;
  a.foreign.omits_final_norm = config.flag("_remove_final_layer_norm", false);
  const bool has_bias = config.flag("enable_bias", true);
  a.bias = {
      .query = has_bias, .key = has_bias, .value = has_bias, .output = has_bias, .feed_forward = has_bias};
  config.require(config.flag("layer_norm_elementwise_affine", true), "layer_norm_elementwise_affine",
                 "but only norms with a gain and a bias are supported");
  set_output_layer(config, files, "lm_head.weight", true, a);
  // A table narrower than the model is widened by one matrix at the input, and another matrix narrows the
  // output to it. At the width of the model, the two layers are therefore not tied.
  const bool is_narrow = config.whole("word_embed_proj_dim", a.d_model) != a.d_model;
  if (is_narrow && (a.output_layer == OutputLayer::tied || files.find("lm_head.weight") == nullptr))
    a.output_layer = a.output_layer == OutputLayer::tied ? OutputLayer::linear : OutputLayer::none;
  return a;
}

constexpr std::array opt_prefixes{Names("model.decoder."), Names("decoder."), Names("")};
constexpr auto opt_rules = rules({
    {.path = "embedding.table", .tensor = "embed_tokens.weight", .through = "project_in.weight"},
    {"embedding.table", "embed_tokens.weight"},
    tied_table_rule,
    {"positions.table", "embed_positions.weight"},
    {"layers.{l}.self.norm.gain", "layers.{l}.self_attn_layer_norm.weight"},
    {"layers.{l}.self.W_Q", "layers.{l}.self_attn.q_proj.weight"},
    {"layers.{l}.self.W_K", "layers.{l}.self_attn.k_proj.weight"},
    {"layers.{l}.self.W_V", "layers.{l}.self_attn.v_proj.weight"},
    {"layers.{l}.self.W_O", "layers.{l}.self_attn.out_proj.weight"},
    {"layers.{l}.feed_forward.norm.gain", "layers.{l}.final_layer_norm.weight"},
    {"layers.{l}.feed_forward.W_1", "layers.{l}.fc1.weight"},
    {"layers.{l}.feed_forward.W_2", "layers.{l}.fc2.weight"},
    {"norm.gain", "final_layer_norm.weight"},
    {.path = "logits.W", .tensor = "^lm_head.weight", .through = "project_out.weight"},
    {.path = "logits.W", .tensor = "embed_tokens.weight", .through = "project_out.weight"},
    {"logits.W", "^lm_head.weight"},
});
constexpr std::array opt_unused{Names("lm_head.weight")};

Architecture bloom(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = causal_layers(config);
  a.n_layers = config.whole("n_layer", config.whole("num_hidden_layers", 2));
  a.d_model = config.whole("n_embed", config.whole("hidden_size", 64));
  a.n_heads = config.whole("n_head", config.whole("num_attention_heads", 8));
  a.d_ff = 4 * a.d_model;
  a.activation = Activation::gelu_tanh;
  a.norm_epsilon = config.decimal("layer_norm_epsilon", 1e-5);
  a.positions = Positions::alibi;
  a.foreign.embedding_norm = true;
  config.require(!config.flag("apply_residual_connection_post_layernorm", false),
                 "apply_residual_connection_post_layernorm", "which is not supported");
  set_output_layer(config, files, "lm_head.weight", true, a);
  return a;
}

constexpr auto bloom_rules =
    joined(falcon_rules, rules({
                             {"embedding.norm.gain", "word_embeddings_layernorm.weight"},
                         }));

}  // namespace

std::span<const Family> causal_families() {
  static constexpr std::array all{
      Family{"GPT-2", {"gpt2"}, transformer_prefixes, gpt2, gpt2_rules, gpt_unused},
      Family{"GPT-Neo", {"gpt_neo"}, transformer_prefixes, gpt_neo, gpt_neo_rules, gpt_unused},
      Family{"GPT-NeoX", {"gpt_neox"}, gpt_neox_prefixes, gpt_neox, gpt_neox_rules, gpt_neox_unused},
      Family{"OPT", {"opt"}, opt_prefixes, opt, opt_rules, opt_unused},
      Family{"BLOOM", {"bloom"}, transformer_prefixes, bloom, bloom_rules, gpt_unused},
      Family{"StarCoder", {"gpt_bigcode"}, transformer_prefixes, gpt_bigcode, gpt_bigcode_rules, gpt_unused},
      Family{"GPT-J", {"gptj"}, transformer_prefixes, gptj, gptj_rules, gpt_unused},
      Family{"CodeGen", {"codegen"}, transformer_prefixes, codegen, codegen_rules, gpt_unused},
      Family{"MPT", {"mpt"}, transformer_prefixes, mpt, mpt_rules, gpt_unused},
      Family{"Falcon", {"falcon"}, transformer_prefixes, falcon, falcon_rules, gpt_unused}};
  return all;
}

}  // namespace headscope
