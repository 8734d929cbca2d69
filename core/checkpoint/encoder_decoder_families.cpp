#include <algorithm>
#include <array>
#include <cmath>

#include "core/checkpoint/family.h"

namespace headscope {
namespace {

using enum StoredAs;
using enum StoredPart;
using Names = std::string_view;

/// Two stacks of layers with residual connections, the second of which also attends to the first.
Architecture two_stacks(ModelConfig& config, int n_encoder, int n_decoder) {
  Architecture a;
  a.stacks = Stacks::encoder_decoder;
  a.residual = true;
  a.n_layers = std::max(n_encoder, n_decoder);
  if (n_encoder != n_decoder) {
    a.foreign.encoder_layers = n_encoder;
    a.foreign.decoder_layers = n_decoder;
  }
  config.require(n_encoder > 0 && n_decoder > 0, "num_hidden_layers",
                 "but only models with layers in both stacks are supported");
  return a;
}

/// Sets the feed-forward layer from a name such as "relu" or "gated-gelu". The latter means GELU's tanh
/// approximation.
void set_feed_forward(ModelConfig& config, std::string_view fallback, Architecture& a) {
  const std::string name = config.text("feed_forward_proj", fallback);
  a.gated = name.starts_with("gated-");
  if (name == "gated-gelu") {
    a.activation = Activation::gelu_tanh;
  } else if (name == "gated-silu") {
    a.activation = Activation::silu;
  } else if (name == "relu") {
    a.activation = Activation::relu;
  } else {
    config.require(false, "feed_forward_proj", "but only relu, gated-gelu and gated-silu are supported");
  }
}

/// mT5 and UMT5 have other defaults, and UMT5 has a table of biases in each layer. Files may hold the encoder
/// alone.
Architecture t5(ModelConfig& config, const CheckpointFiles& files) {
  const std::string type = config.text("model_type", "t5");
  const bool is_mt5 = type == "mt5" || type == "umt5";
  const int n_layers = config.whole("num_layers", config.whole("num_hidden_layers", is_mt5 ? 8 : 6));
  const auto is_of_decoder = [](const TensorRef& tensor) {
    return tensor.name.find("decoder.block.") != std::string::npos || tensor.name.starts_with("dec.blk.");
  };
  const bool has_decoder = std::ranges::any_of(files.tensors(), is_of_decoder);
  const int n_decoder = config.whole("num_decoder_layers", n_layers);
  Architecture a = two_stacks(config, n_layers, has_decoder ? n_decoder : n_layers);
  if (!has_decoder) a.stacks = Stacks::encoder;
  a.norm = Norm::pre;
  a.norm_kind = NormKind::rms;
  a.d_model = config.whole("d_model", config.whole("hidden_size", 512));
  a.n_heads = config.whole("num_heads", config.whole("num_attention_heads", is_mt5 ? 6 : 8));
  a.d_head = config.whole("d_kv", 64);
  a.d_ff = config.whole("d_ff", is_mt5 ? 1024 : 2048);
  a.norm_epsilon = config.decimal("layer_norm_epsilon", 1e-6);
  a.bias = {.query = false, .key = false, .value = false, .output = false, .feed_forward = false};
  a.positions = Positions::relative;
  a.relative_buckets = config.whole("relative_attention_num_buckets", 32);
  a.foreign.per_layer_biases = type == "umt5";
  if (type == "umt5") config.has("scalable_attention");  // Nothing reads it.
  a.score_scale = 1.0F;
  set_feed_forward(config, is_mt5 ? "gated-gelu" : "relu", a);
  config.require(config.whole("relative_attention_max_distance", max_bucket_distance) == max_bucket_distance,
                 "relative_attention_max_distance", "but only 128 is supported");
  if (has_decoder) set_output_layer(config, files, "lm_head.weight", !is_mt5, a);
  // Newer files of T5 1.1 declare their head as tied, and only this flag says that it is not.
  const bool scales = config.flag("scale_decoder_outputs", config.flag("tie_word_embeddings", !is_mt5));
  if (!scales && has_decoder && has_tensor_ending(files, "lm_head.weight"))
    a.output_layer = OutputLayer::linear;
  if (scales && a.output_layer == OutputLayer::tied)
    a.foreign.output_factor = 1.0F / std::sqrt(static_cast<float>(a.d_model));
  return a;
}

constexpr std::array t5_prefixes{Names("transformer."), Names("")};
constexpr auto t5_rules = rules({
    {"embedding.table", "shared.weight"},
    {"embedding.table", "encoder.embed_tokens.weight"},
    {"embedding.table", "decoder.embed_tokens.weight"},
    tied_table_rule,
    {"positions.biases", "{s}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", whole,
     row_of_each_head},
    {"positions.table", "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", whole,
     row_of_each_head},
    {"layers.{l}.self.positions.biases", "{s}.block.{l}.layer.0.SelfAttention.relative_attention_bias.weight",
     whole, row_of_each_head},
    {"layers.{l}.self.W_Q", "{s}.block.{l}.layer.0.SelfAttention.q.weight"},
    {"layers.{l}.self.W_K", "{s}.block.{l}.layer.0.SelfAttention.k.weight"},
    {"layers.{l}.self.W_V", "{s}.block.{l}.layer.0.SelfAttention.v.weight"},
    {"layers.{l}.self.W_O", "{s}.block.{l}.layer.0.SelfAttention.o.weight"},
    {"layers.{l}.self.norm.gain", "{s}.block.{l}.layer.0.layer_norm.weight"},
    {"layers.{l}.cross.W_Q", "{s}.block.{l}.layer.1.EncDecAttention.q.weight"},
    {"layers.{l}.cross.W_K", "{s}.block.{l}.layer.1.EncDecAttention.k.weight"},
    {"layers.{l}.cross.W_V", "{s}.block.{l}.layer.1.EncDecAttention.v.weight"},
    {"layers.{l}.cross.W_O", "{s}.block.{l}.layer.1.EncDecAttention.o.weight"},
    {"layers.{l}.cross.norm.gain", "{s}.block.{l}.layer.1.layer_norm.weight"},
    {"encoder.layers.{l}.feed_forward.norm.gain", "encoder.block.{l}.layer.1.layer_norm.weight"},
    {"encoder.layers.{l}.feed_forward.W_1", "encoder.block.{l}.layer.1.DenseReluDense.wi.weight"},
    {"encoder.layers.{l}.feed_forward.W_1", "encoder.block.{l}.layer.1.DenseReluDense.wi_0.weight"},
    {"encoder.layers.{l}.feed_forward.W_up", "encoder.block.{l}.layer.1.DenseReluDense.wi_1.weight"},
    {"encoder.layers.{l}.feed_forward.W_2", "encoder.block.{l}.layer.1.DenseReluDense.wo.weight"},
    {"decoder.layers.{l}.feed_forward.norm.gain", "decoder.block.{l}.layer.2.layer_norm.weight"},
    {"decoder.layers.{l}.feed_forward.W_1", "decoder.block.{l}.layer.2.DenseReluDense.wi.weight"},
    {"decoder.layers.{l}.feed_forward.W_1", "decoder.block.{l}.layer.2.DenseReluDense.wi_0.weight"},
    {"decoder.layers.{l}.feed_forward.W_up", "decoder.block.{l}.layer.2.DenseReluDense.wi_1.weight"},
    {"decoder.layers.{l}.feed_forward.W_2", "decoder.block.{l}.layer.2.DenseReluDense.wo.weight"},
    {"norm.gain", "{s}.final_layer_norm.weight"},
    {"logits.W", "^lm_head.weight"},
});
/// Copies of the shared table, and a bias of cross-attention that early files have but nothing reads.
constexpr std::array t5_unused{Names("*encoder.embed_tokens.weight"), Names("*decoder.embed_tokens.weight"),
                               Names("*EncDecAttention.relative_attention_bias.weight"),
                               Names("lm_head.weight")};

/// What distinguishes the families that follow BART's layout, and the defaults of their configurations.
struct BartDefaults {
  Norm norm = Norm::post;
  Positions positions = Positions::learned;
  /// The number of rows of the position table before that of the first token, or the position of that token.
  int first_position = 2;
  bool norms_embeddings = true;
  int d_model = 1024, n_layers = 12, n_decoder_layers = 12, n_heads = 16, d_ff = 4096;
  std::string_view activation = "gelu";
  bool scales = false;
};

/// An integer that both stacks have. `key` comes after "encoder_" and "decoder_".
int of_both_stacks(ModelConfig& config, std::string_view key, int fallback) {
  const std::string of_encoder = "encoder_" + std::string(key), of_decoder = "decoder_" + std::string(key);
  const int n = config.whole(of_encoder, fallback);
  config.require(config.whole(of_decoder, fallback) == n, of_decoder,
                 "but only as many as in the encoder are supported");
  return n;
}

/// Early files repeat the properties of their families. Refuses other values than these.
void expect_flags(ModelConfig& config, const Architecture& a) {
  const bool is_pre = a.norm == Norm::pre;
  for (const auto& [key, value] :
       {std::pair("normalize_before", is_pre), std::pair("add_final_layer_norm", is_pre),
        std::pair("normalize_embedding", a.foreign.embedding_norm), std::pair("add_bias_logits", false),
        std::pair("static_position_embeddings", a.positions != Positions::learned)})
    config.require(config.flag(key, value) == value, key, "which is not what its family computes");
  for (const char* key : {"extra_pos_embeddings", "num_hidden_layers"}) config.has(key);
}

Architecture bart_like(ModelConfig& config, const CheckpointFiles& files, const BartDefaults& of) {
  Architecture a = two_stacks(config, config.whole("encoder_layers", of.n_layers),
                              config.whole("decoder_layers", of.n_decoder_layers));
  a.norm = of.norm;
  a.d_model = config.whole("d_model", of.d_model);
  a.n_heads = of_both_stacks(config, "attention_heads", of.n_heads);
  a.d_ff = of_both_stacks(config, "ffn_dim", of.d_ff);
  a.activation = config.activation("activation_function", of.activation);
  a.scales_embedding = config.flag("scale_embedding", of.scales);
  a.positions = of.positions;
  a.foreign.sines_first = of.positions == Positions::sinusoidal;
  a.foreign.per_stack_positions = of.positions == Positions::learned;
  a.foreign.first_position = of.first_position;
  const int context = config.whole("max_position_embeddings", 1024);
  (of.positions == Positions::learned ? a.foreign.position_rows : a.foreign.context) =
      of.positions == Positions::learned ? context + of.first_position : context;
  a.foreign.embedding_norm = of.norms_embeddings;
  expect_flags(config, a);
  set_output_layer(config, files, "lm_head.weight", true, a);
  a.output_bias = a.output_layer != OutputLayer::none && files.find("final_logits_bias") != nullptr;
  return a;
}

Architecture bart(ModelConfig& config, const CheckpointFiles& files) {
  return bart_like(config, files, {});
}

Architecture mbart(ModelConfig& config, const CheckpointFiles& files) {
  return bart_like(config, files, {.norm = Norm::pre});
}

Architecture pegasus(ModelConfig& config, const CheckpointFiles& files) {
  return bart_like(config, files,
                   {.norm = Norm::pre,
                    .positions = Positions::sinusoidal,
                    .first_position = 0,
                    .norms_embeddings = false});
}

Architecture marian(ModelConfig& config, const CheckpointFiles& files) {
  config.require(config.flag("share_encoder_decoder_embeddings", true), "share_encoder_decoder_embeddings",
                 "but only models whose stacks share an embedding table are supported");
  const int words = config.whole("vocab_size", 58101);
  config.require(config.whole("decoder_vocab_size", words) == words, "decoder_vocab_size",
                 "but only models whose stacks have the same words are supported");
  return bart_like(config, files,
                   {.positions = Positions::sinusoidal, .first_position = 0, .norms_embeddings = false});
}

Architecture blenderbot(ModelConfig& config, const CheckpointFiles& files) {
  config.require(config.text("layernorm_variant", "prelayernorm") == "prelayernorm", "layernorm_variant",
                 "which is not what its family computes");
  config.require(!config.flag("extra_layer_norm", false), "extra_layer_norm",
                 "which is not what its family computes");
  config.has("do_blenderbot_90_layernorm");  // Nothing reads it.
  return bart_like(config, files,
                   {.norm = Norm::pre,
                    .first_position = 0,
                    .norms_embeddings = false,
                    .d_model = 2560,
                    .n_layers = 2,
                    .n_decoder_layers = 24,
                    .n_heads = 32,
                    .d_ff = 10240});
}

/// M2M-100 and NLLB. Positions are counted from the one after that of padding.
Architecture m2m_100(ModelConfig& config, const CheckpointFiles& files) {
  return bart_like(config, files,
                   {.norm = Norm::pre,
                    .positions = Positions::split,
                    .norms_embeddings = false,
                    .activation = "relu",
                    .scales = true});
}

constexpr std::array bart_prefixes{Names("model."), Names("")};
constexpr auto bart_rules = rules({
    {"embedding.table", "shared.weight"},
    {"embedding.table", "encoder.embed_tokens.weight"},
    {"embedding.table", "decoder.embed_tokens.weight"},
    tied_table_rule,
    {"positions.rows", "{s}.embed_positions.weight"},
    {"embedding.norm.gain", "{s}.layernorm_embedding.weight"},
    {"layers.{l}.self.W_Q", "{s}.layers.{l}.self_attn.q_proj.weight"},
    {"layers.{l}.self.W_K", "{s}.layers.{l}.self_attn.k_proj.weight"},
    {"layers.{l}.self.W_V", "{s}.layers.{l}.self_attn.v_proj.weight"},
    {"layers.{l}.self.W_O", "{s}.layers.{l}.self_attn.out_proj.weight"},
    {"layers.{l}.self.norm.gain", "{s}.layers.{l}.self_attn_layer_norm.weight"},
    {"layers.{l}.cross.W_Q", "{s}.layers.{l}.encoder_attn.q_proj.weight"},
    {"layers.{l}.cross.W_K", "{s}.layers.{l}.encoder_attn.k_proj.weight"},
    {"layers.{l}.cross.W_V", "{s}.layers.{l}.encoder_attn.v_proj.weight"},
    {"layers.{l}.cross.W_O", "{s}.layers.{l}.encoder_attn.out_proj.weight"},
    {"layers.{l}.cross.norm.gain", "{s}.layers.{l}.encoder_attn_layer_norm.weight"},
    {"layers.{l}.feed_forward.norm.gain", "{s}.layers.{l}.final_layer_norm.weight"},
    {"layers.{l}.feed_forward.W_1", "{s}.layers.{l}.fc1.weight"},
    {"layers.{l}.feed_forward.W_2", "{s}.layers.{l}.fc2.weight"},
    {"norm.gain", "{s}.layer_norm.weight"},
    {"logits.W", "^lm_head.weight"},
    {"logits.b", "^final_logits_bias"},
});
/// Copies of the shared table, and sinusoids, which are computed.
constexpr std::array bart_unused{Names("*encoder.embed_tokens.weight"), Names("*decoder.embed_tokens.weight"),
                                 Names("*embed_positions.weight*"), Names("lm_head.weight"),
                                 Names("final_logits_bias")};

}  // namespace

std::span<const Family> encoder_decoder_families() {
  static constexpr std::array all{
      Family{"T5", {"t5", "mt5", "umt5"}, t5_prefixes, t5, t5_rules, t5_unused},
      Family{"BART", {"bart"}, bart_prefixes, bart, bart_rules, bart_unused},
      Family{"mBART", {"mbart"}, bart_prefixes, mbart, bart_rules, bart_unused},
      Family{"Pegasus", {"pegasus"}, bart_prefixes, pegasus, bart_rules, bart_unused},
      Family{"Marian", {"marian"}, bart_prefixes, marian, bart_rules, bart_unused},
      Family{"Blenderbot", {"blenderbot"}, bart_prefixes, blenderbot, bart_rules, bart_unused},
      Family{"M2M-100", {"m2m_100"}, bart_prefixes, m2m_100, bart_rules, bart_unused}};
  return all;
}

}  // namespace headscope
