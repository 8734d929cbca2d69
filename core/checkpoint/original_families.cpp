#include <array>

#include "core/checkpoint/family_parts.h"

namespace headscope {
namespace {

using enum StoredAs;
using enum StoredPart;
using Names = std::string_view;

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
constexpr std::array nanogpt_rules{
    TensorRule{"embedding.table", "wte.weight"},
    TensorRule{"positions.table", "wpe.weight"},
    TensorRule{"layers.{l}.self.norm.gain", "h.{l}.ln_1.weight"},
    optional_bias("layers.{l}.self.norm.bias", "h.{l}.ln_1.bias"),
    TensorRule{"layers.{l}.self.W_Q", "h.{l}.attn.c_attn.weight", out_in, query},
    TensorRule{"layers.{l}.self.W_K", "h.{l}.attn.c_attn.weight", out_in, key},
    TensorRule{"layers.{l}.self.W_V", "h.{l}.attn.c_attn.weight", out_in, value},
    TensorRule{"layers.{l}.self.W_O", "h.{l}.attn.c_proj.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.norm.gain", "h.{l}.ln_2.weight"},
    optional_bias("layers.{l}.feed_forward.norm.bias", "h.{l}.ln_2.bias"),
    TensorRule{"layers.{l}.feed_forward.W_1", "h.{l}.mlp.c_fc.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_2", "h.{l}.mlp.c_proj.weight", out_in},
    TensorRule{"norm.gain", "ln_f.weight"},
    optional_bias("norm.bias", "ln_f.bias"),
    TensorRule{"logits.W", "^lm_head.weight", out_in},
};
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

constexpr std::array llama_original_rules{
    TensorRule{"embedding.table", "tok_embeddings.weight"},
    TensorRule{"layers.{l}.self.norm.gain", "layers.{l}.attention_norm.weight"},
    TensorRule{"layers.{l}.self.W_Q", "layers.{l}.attention.wq.weight", out_in},
    TensorRule{"layers.{l}.self.W_K", "layers.{l}.attention.wk.weight", out_in},
    TensorRule{"layers.{l}.self.W_V", "layers.{l}.attention.wv.weight", out_in},
    TensorRule{"layers.{l}.self.W_O", "layers.{l}.attention.wo.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.norm.gain", "layers.{l}.ffn_norm.weight"},
    TensorRule{"layers.{l}.feed_forward.W_1", "layers.{l}.feed_forward.w1.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_up", "layers.{l}.feed_forward.w3.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.W_2", "layers.{l}.feed_forward.w2.weight", out_in},
    TensorRule{"norm.gain", "norm.weight"},
    TensorRule{"logits.W", "output.weight", out_in},
};
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
