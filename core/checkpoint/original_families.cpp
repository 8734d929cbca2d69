#include <array>
#include <cmath>

#include "core/checkpoint/family.h"

namespace headscope {
namespace {

using enum StoredAs;
using enum StoredPart;
using Names = std::string_view;

/// Sets the norms from "LN" or "RMS". A suffix "Pre" means that gains and biases were folded into the weights
/// that follow.
void set_norms(ModelConfig& config, const CheckpointFiles& files, Architecture& a) {
  const std::string kind = config.text("normalization_type", "");
  if (kind.empty()) return;
  a.norm = Norm::pre;
  a.norm_epsilon = config.decimal("eps", 1e-5);
  a.norm_kind = kind.starts_with("RMS") ? NormKind::rms : NormKind::layer;
  const bool is_known = kind == "LN" || kind == "LNPre" || kind == "RMS" || kind == "RMSPre";
  config.require(is_known, "normalization_type", "but only LN, LNPre, RMS and RMSPre are supported");
  config.require(kind.ends_with("Pre") || has_tensor_ending(files, "blocks.0.ln1.w"), "normalization_type",
                 "but the files have no gains of norms");
}

/// A model as TransformerLens stores it, whatever its original family.
Architecture transformer_lens(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = causal_layers(config);
  a.norm = Norm::none;
  const std::string direction = config.text("attention_dir", "causal");
  if (direction == "bidirectional") a.stacks = Stacks::encoder;
  config.require(direction == "causal" || direction == "bidirectional", "attention_dir",
                 "but only causal and bidirectional are supported");
  a.n_layers = config.whole("n_layers");
  a.d_model = config.whole("d_model");
  a.d_head = config.whole("d_head");
  a.n_heads = config.whole("n_heads", a.d_model / *a.d_head);
  const bool is_attention_only = config.flag("attn_only", false);
  a.d_ff = is_attention_only ? 0 : config.whole("d_mlp", 4 * a.d_model);
  if (!is_attention_only) a.activation = config.activation("act_fn", "");
  set_norms(config, files, a);
  a.positions = Positions::learned;
  a.foreign.position_rows = config.whole("n_ctx");
  config.require(config.text("positional_embedding_type", "standard") == "standard",
                 "positional_embedding_type", "but only standard is supported");
  for (const char* key : {"gated_mlp", "parallel_attn_mlp", "use_local_attn", "use_hook_tokens", "final_rms",
                          "scale_attn_by_inverse_layer_idx"})
    config.require(!config.flag(key, false), key, "which is not supported");
  config.require(config.whole("n_key_value_heads", a.n_heads) == a.n_heads, "n_key_value_heads",
                 "but only as many as heads are supported");
  const float divisor = config.decimal("attn_scale", -1.0);
  if (divisor > 0.0F) a.score_scale = 1.0F / divisor;
  if (!config.flag("use_attn_scale", true)) a.score_scale = 1.0F;
  // TransformerLens writes −1 for none.
  a.softcap = std::max(config.decimal("attn_scores_soft_cap", -1.0), 0.0F);
  a.logit_softcap = std::max(config.decimal("output_logits_soft_cap", -1.0), 0.0F);
  // These do not affect a pass, or only parts that the model does not have.
  for (const char* key : {"act_fn",
                          "d_mlp",
                          "eps",
                          "model_name",
                          "original_architecture",
                          "from_checkpoint",
                          "checkpoint_index",
                          "checkpoint_label_type",
                          "checkpoint_value",
                          "device",
                          "n_devices",
                          "n_params",
                          "default_prepend_bos",
                          "trust_remote_code",
                          "use_attn_in",
                          "use_attn_result",
                          "use_split_qkv_input",
                          "use_hook_mlp_in",
                          "attn_types",
                          "window_size",
                          "rotary_dim",
                          "rotary_base",
                          "rotary_adjacent_pairs",
                          "relative_attention_max_distance",
                          "relative_attention_num_buckets"})
    config.has(key);
  a.output_layer = OutputLayer::linear;
  a.output_bias = files.find("unembed.b_U") != nullptr;
  const int vocabulary = config.whole("d_vocab");
  const int n_out = config.has("d_vocab_out") && config.decimal("d_vocab_out", 0.0) < 0.0F
                        ? vocabulary
                        : config.whole("d_vocab_out", vocabulary);
  if (n_out != vocabulary) a.foreign.classes = n_out;
  return a;
}

constexpr auto transformer_lens_rules = rules({
    {"embedding.table", "embed.W_E"},
    {"positions.table", "pos_embed.W_pos"},
    optional_gain("layers.{l}.self.norm.gain", "blocks.{l}.ln1.w"),
    optional_bias("layers.{l}.self.norm.bias", "blocks.{l}.ln1.b"),
    {"layers.{l}.self.W_Q", "blocks.{l}.attn.W_Q", whole, heads_out},
    {"layers.{l}.self.W_K", "blocks.{l}.attn.W_K", whole, heads_out},
    {"layers.{l}.self.W_V", "blocks.{l}.attn.W_V", whole, heads_out},
    {"layers.{l}.self.b_Q", "blocks.{l}.attn.b_Q", whole, heads_out},
    {"layers.{l}.self.b_K", "blocks.{l}.attn.b_K", whole, heads_out},
    {"layers.{l}.self.b_V", "blocks.{l}.attn.b_V", whole, heads_out},
    {"layers.{l}.self.W_O", "blocks.{l}.attn.W_O", whole, heads_in},
    {"layers.{l}.self.b_O", "blocks.{l}.attn.b_O"},
    optional_gain("layers.{l}.feed_forward.norm.gain", "blocks.{l}.ln2.w"),
    optional_bias("layers.{l}.feed_forward.norm.bias", "blocks.{l}.ln2.b"),
    {"layers.{l}.feed_forward.W_1", "blocks.{l}.mlp.W_in", whole, in_out},
    {"layers.{l}.feed_forward.b_1", "blocks.{l}.mlp.b_in"},
    {"layers.{l}.feed_forward.W_2", "blocks.{l}.mlp.W_out", whole, in_out},
    {"layers.{l}.feed_forward.b_2", "blocks.{l}.mlp.b_out"},
    optional_gain("norm.gain", "ln_final.w"),
    optional_bias("norm.bias", "ln_final.b"),
    {"logits.W", "unembed.W_U", whole, in_out},
    {"logits.b", "unembed.b_U"},
});
constexpr std::array transformer_lens_unused{Names("*attn.mask"), Names("*attn.IGNORE")};

}  // namespace

std::span<const Family> transformer_lens_families() {
  static constexpr std::array all{Family{"TransformerLens",
                                         {"transformer_lens"},
                                         no_prefix,
                                         transformer_lens,
                                         transformer_lens_rules,
                                         transformer_lens_unused}};
  return all;
}

namespace {

/// nanoGPT, and minGPT, whose final linear layer is not tied and whose activation is GELU's approximation.
/// The files do not name the activation; nanoGPT's is exact since June 2023.
Architecture nanogpt(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = causal_layers(config);
  a.n_layers = config.whole("n_layer");
  a.n_heads = config.whole("n_head");
  a.d_model = config.whole("n_embd");
  a.d_ff = 4 * a.d_model;
  a.positions = Positions::learned;
  a.foreign.position_rows = config.whole("block_size");
  const bool has_bias = config.flag("bias", true);
  a.bias = {has_bias, has_bias, has_bias, has_bias, has_bias};
  const TensorRef* const head = files.find("lm_head.weight");
  const TensorRef* const table = files.find("transformer.wte.weight");
  const bool is_tied = head == nullptr || (table != nullptr && head->bytes.data() == table->bytes.data());
  a.output_layer = is_tied ? OutputLayer::tied : OutputLayer::linear;
  // minGPT keeps its masks among the weights.
  const bool is_min = has_tensor_ending(files, "transformer.h.0.attn.bias") && !is_tied;
  a.activation = is_min ? Activation::gelu_tanh : Activation::gelu;
  return a;
}

constexpr std::array nanogpt_prefixes{Names("transformer.")};
constexpr auto nanogpt_rules = rules({
    {"embedding.table", "wte.weight"},
    {"positions.table", "wpe.weight"},
    {"layers.{l}.self.norm.gain", "h.{l}.ln_1.weight"},
    optional_bias("layers.{l}.self.norm.bias", "h.{l}.ln_1.bias"),
    {"layers.{l}.self.W_Q", "h.{l}.attn.c_attn.weight", query},
    {"layers.{l}.self.W_K", "h.{l}.attn.c_attn.weight", key},
    {"layers.{l}.self.W_V", "h.{l}.attn.c_attn.weight", value},
    {"layers.{l}.self.W_O", "h.{l}.attn.c_proj.weight"},
    {"layers.{l}.feed_forward.norm.gain", "h.{l}.ln_2.weight"},
    optional_bias("layers.{l}.feed_forward.norm.bias", "h.{l}.ln_2.bias"),
    {"layers.{l}.feed_forward.W_1", "h.{l}.mlp.c_fc.weight"},
    {"layers.{l}.feed_forward.W_2", "h.{l}.mlp.c_proj.weight"},
    {"norm.gain", "ln_f.weight"},
    optional_bias("norm.bias", "ln_f.bias"),
    {"logits.W", "^lm_head.weight"},
});
constexpr std::array nanogpt_unused{Names("transformer.h.*.attn.bias"), Names("lm_head.weight")};

/// Llama as Meta and Mistral publish it (consolidated.*), and llama2.c. The width of the feed-forward layer
/// is that of its tensor, because some files give only the numbers from which it was computed.
Architecture llama_original(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = causal_layers(config);
  a.norm_kind = NormKind::rms;
  a.gated = true;
  a.activation = Activation::silu;
  a.d_model = config.whole("dim");
  a.n_layers = config.whole("n_layers");
  a.n_heads = config.whole("n_heads");
  a.n_kv_heads = config.whole("n_kv_heads", a.n_heads);
  if (config.has("head_dim")) a.d_head = config.whole("head_dim");
  a.norm_epsilon = config.decimal("norm_eps", 1e-5);
  a.bias = {.query = false, .key = false, .value = false, .output = false, .feed_forward = false};
  for (const TensorRef& tensor : files.tensors())
    if (tensor.name == "layers.0.feed_forward.w1.weight" && tensor.shape.size() == 2 &&
        tensor.shape[0] <= ArchitectureLimits::max_d_ff)
      a.d_ff = static_cast<int>(tensor.shape[0]);
  for (const char* key : {"multiple_of", "ffn_dim_multiplier", "hidden_dim", "max_batch_size"})
    config.has(key);
  config.require(!config.has("moe"), "moe", "but only models without experts are supported");
  a.positions = Positions::rotary;
  a.rotary.pairing = RotaryPairing::interleaved;
  a.rotary.base = config.decimal("rope_theta", 10000.0);
  if (config.flag("use_scaled_rope", false)) {
    constexpr int original = 8192;
    a.rotary.scaling = RotaryScaling::llama3;
    a.rotary.original_length = original;
    a.rotary.factor = config.decimal("rope_scaling_factor", 8.0);
  }
  a.foreign.context = config.whole("max_seq_len", 0);
  const int window = config.whole("sliding_window", 0);
  set_windows(config, window, sliding_layers_or(config, a.n_layers, 0), a);
  const TensorRef* const head = files.find("output.weight");
  a.output_layer = head == nullptr ? OutputLayer::tied : OutputLayer::linear;
  return a;
}

constexpr auto llama_original_rules = rules({
    {"embedding.table", "tok_embeddings.weight"},
    {"layers.{l}.self.norm.gain", "layers.{l}.attention_norm.weight"},
    {"layers.{l}.self.W_Q", "layers.{l}.attention.wq.weight"},
    {"layers.{l}.self.W_K", "layers.{l}.attention.wk.weight"},
    {"layers.{l}.self.W_V", "layers.{l}.attention.wv.weight"},
    {"layers.{l}.self.W_O", "layers.{l}.attention.wo.weight"},
    {"layers.{l}.feed_forward.norm.gain", "layers.{l}.ffn_norm.weight"},
    {"layers.{l}.feed_forward.W_1", "layers.{l}.feed_forward.w1.weight"},
    {"layers.{l}.feed_forward.W_up", "layers.{l}.feed_forward.w3.weight"},
    {"layers.{l}.feed_forward.W_2", "layers.{l}.feed_forward.w2.weight"},
    {"norm.gain", "norm.weight"},
    {"logits.W", "output.weight"},
});
constexpr std::array llama_original_unused{Names("rope.freqs"), Names("freqs_*")};

}  // namespace

std::span<const Family> original_families() {
  static constexpr std::array all{
      Family{"nanoGPT", {"nanogpt"}, nanogpt_prefixes, nanogpt, nanogpt_rules, nanogpt_unused},
      Family{"Llama",
             {"llama_original"},
             no_prefix,
             llama_original,
             llama_original_rules,
             llama_original_unused}};
  return all;
}

}  // namespace headscope
