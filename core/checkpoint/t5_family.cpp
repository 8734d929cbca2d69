#include <algorithm>
#include <array>
#include <cmath>

#include "core/checkpoint/family_parts.h"

namespace headscope {
namespace {

using enum StoredAs;
using Names = std::string_view;

/// Sets the feed-forward layer from a name such as "relu" or "gated-gelu". The latter means GELU's tanh
/// approximation.
void set_feed_forward(ModelConfig& config, std::string_view otherwise, Architecture& a) {
  const std::string name = config.text("feed_forward_proj", otherwise);
  a.gated = name.starts_with("gated-");
  if (name == "gated-gelu") {
    a.activation = Activation::gelu_tanh;
  } else if (name == "gated-silu") {
    a.activation = Activation::silu;
  } else if (name == "relu") {
    a.activation = Activation::relu;
  } else {
    config.refuse_unless(false, "feed_forward_proj",
                         "but only relu, gated-gelu and gated-silu are supported");
  }
}

Architecture t5(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a;
  a.stacks = Stacks::encoder_decoder;
  a.norm = Norm::pre;
  a.norm_kind = NormKind::rms;
  a.residual = true;
  const bool is_mt5 = config.text("model_type", "t5") == "mt5";
  a.n_layers = config.whole("num_layers", config.whole("num_hidden_layers", is_mt5 ? 8 : 6));
  a.d_model = config.whole("d_model", config.whole("hidden_size", 512));
  a.n_heads = config.whole("num_heads", config.whole("num_attention_heads", is_mt5 ? 6 : 8));
  a.d_head = config.whole("d_kv", 64);
  a.d_ff = config.whole("d_ff", is_mt5 ? 1024 : 2048);
  a.norm_epsilon = config.decimal("layer_norm_epsilon", 1e-6);
  a.bias = {.query = false, .key = false, .value = false, .output = false, .feed_forward = false};
  a.positions = Positions::relative;
  a.relative_buckets = config.whole("relative_attention_num_buckets", 32);
  a.score_scale = 1.0F;
  set_feed_forward(config, is_mt5 ? "gated-gelu" : "relu", a);
  config.refuse_unless(
      config.whole("relative_attention_max_distance", max_bucket_distance) == max_bucket_distance,
      "relative_attention_max_distance", "but only 128 is supported");
  config.refuse_unless(config.whole("num_decoder_layers", a.n_layers) == a.n_layers, "num_decoder_layers",
                       "but only as many as in the encoder are supported");
  set_output_layer(config, files, "lm_head.weight", !is_mt5, a);
  // Newer files of T5 1.1 declare their head as tied, and only this flag says that it is not.
  const bool scales = config.flag("scale_decoder_outputs", config.flag("tie_word_embeddings", !is_mt5));
  if (!scales && has_tensor_ending(files, "lm_head.weight")) a.output_layer = OutputLayer::linear;
  if (scales && a.output_layer == OutputLayer::tied)
    a.foreign.output_factor = 1.0F / std::sqrt(static_cast<float>(a.d_model));
  const auto is_of_decoder = [](const TensorSource& tensor) {
    return tensor.name.find("decoder.block.") != std::string::npos;
  };
  if (std::ranges::none_of(files.tensors(), is_of_decoder))
    config.fail("its files hold only the encoder of a T5 model: choose the whole model");
  return a;
}

constexpr std::array t5_types{Names("t5"), Names("mt5")};
constexpr std::array t5_prefixes{Names("transformer."), Names("")};
constexpr std::array t5_rules{
    TensorRule{"embedding.table", "shared.weight"},
    TensorRule{"embedding.table", "encoder.embed_tokens.weight"},
    TensorRule{"embedding.table", "decoder.embed_tokens.weight"},
    TensorRule{.path = "embedding.table", .tensor = "^lm_head.weight", .if_tied = true},
    TensorRule{"encoder.positions.biases",
               "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", row_of_each_head},
    TensorRule{"encoder.layers.{l}.self.W_Q", "encoder.block.{l}.layer.0.SelfAttention.q.weight", out_in},
    TensorRule{"encoder.layers.{l}.self.W_K", "encoder.block.{l}.layer.0.SelfAttention.k.weight", out_in},
    TensorRule{"encoder.layers.{l}.self.W_V", "encoder.block.{l}.layer.0.SelfAttention.v.weight", out_in},
    TensorRule{"encoder.layers.{l}.self.W_O", "encoder.block.{l}.layer.0.SelfAttention.o.weight", out_in},
    TensorRule{"encoder.layers.{l}.self.norm.gain", "encoder.block.{l}.layer.0.layer_norm.weight"},
    TensorRule{"encoder.layers.{l}.feed_forward.norm.gain", "encoder.block.{l}.layer.1.layer_norm.weight"},
    TensorRule{"encoder.layers.{l}.feed_forward.W_1", "encoder.block.{l}.layer.1.DenseReluDense.wi.weight",
               out_in},
    TensorRule{"encoder.layers.{l}.feed_forward.W_1", "encoder.block.{l}.layer.1.DenseReluDense.wi_0.weight",
               out_in},
    TensorRule{"encoder.layers.{l}.feed_forward.W_up", "encoder.block.{l}.layer.1.DenseReluDense.wi_1.weight",
               out_in},
    TensorRule{"encoder.layers.{l}.feed_forward.W_2", "encoder.block.{l}.layer.1.DenseReluDense.wo.weight",
               out_in},
    TensorRule{"encoder.norm.gain", "encoder.final_layer_norm.weight"},
    TensorRule{"decoder.positions.biases",
               "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", row_of_each_head},
    TensorRule{"decoder.layers.{l}.self.W_Q", "decoder.block.{l}.layer.0.SelfAttention.q.weight", out_in},
    TensorRule{"decoder.layers.{l}.self.W_K", "decoder.block.{l}.layer.0.SelfAttention.k.weight", out_in},
    TensorRule{"decoder.layers.{l}.self.W_V", "decoder.block.{l}.layer.0.SelfAttention.v.weight", out_in},
    TensorRule{"decoder.layers.{l}.self.W_O", "decoder.block.{l}.layer.0.SelfAttention.o.weight", out_in},
    TensorRule{"decoder.layers.{l}.self.norm.gain", "decoder.block.{l}.layer.0.layer_norm.weight"},
    TensorRule{"decoder.layers.{l}.cross.W_Q", "decoder.block.{l}.layer.1.EncDecAttention.q.weight", out_in},
    TensorRule{"decoder.layers.{l}.cross.W_K", "decoder.block.{l}.layer.1.EncDecAttention.k.weight", out_in},
    TensorRule{"decoder.layers.{l}.cross.W_V", "decoder.block.{l}.layer.1.EncDecAttention.v.weight", out_in},
    TensorRule{"decoder.layers.{l}.cross.W_O", "decoder.block.{l}.layer.1.EncDecAttention.o.weight", out_in},
    TensorRule{"decoder.layers.{l}.cross.norm.gain", "decoder.block.{l}.layer.1.layer_norm.weight"},
    TensorRule{"decoder.layers.{l}.feed_forward.norm.gain", "decoder.block.{l}.layer.2.layer_norm.weight"},
    TensorRule{"decoder.layers.{l}.feed_forward.W_1", "decoder.block.{l}.layer.2.DenseReluDense.wi.weight",
               out_in},
    TensorRule{"decoder.layers.{l}.feed_forward.W_1", "decoder.block.{l}.layer.2.DenseReluDense.wi_0.weight",
               out_in},
    TensorRule{"decoder.layers.{l}.feed_forward.W_up", "decoder.block.{l}.layer.2.DenseReluDense.wi_1.weight",
               out_in},
    TensorRule{"decoder.layers.{l}.feed_forward.W_2", "decoder.block.{l}.layer.2.DenseReluDense.wo.weight",
               out_in},
    TensorRule{"decoder.norm.gain", "decoder.final_layer_norm.weight"},
    TensorRule{"logits.W", "^lm_head.weight", out_in},
};
/// Copies of the shared table, and a bias of cross-attention that early files have but nothing reads.
constexpr std::array t5_unused{Names("*encoder.embed_tokens.weight"), Names("*decoder.embed_tokens.weight"),
                               Names("*EncDecAttention.relative_attention_bias.weight"),
                               Names("lm_head.weight")};

}  // namespace

std::span<const Family> t5_families() {
  static constexpr std::array all{Family{"T5", t5_types, t5_prefixes, t5, t5_rules, t5_unused}};
  return all;
}

}  // namespace headscope
