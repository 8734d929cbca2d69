#include "core/session/model_presets.h"

namespace headscope {
namespace {

/// Returns an architecture with a norm before every sublayer, residual connections and words to predict.
Architecture full_layers(Stacks stacks, int n_layers, OutputLayer output) {
  Architecture a;
  a.stacks = stacks;
  a.n_layers = n_layers;
  a.norm = Norm::pre;
  a.residual = true;
  a.output_layer = output;
  return a;
}

Session session_of(const Architecture& architecture) {
  Session session = default_session();
  session.architecture = architecture;
  session.attention.mask.causal = architecture.stacks == Stacks::decoder;
  session.selection.stack = architecture.first_stack();
  return session;
}

/// The original gpt2 has d_model 768 = 12 · 64, d_ff 3072 and 12 layers.
Session gpt_2() {
  Architecture a = full_layers(Stacks::decoder, 4, OutputLayer::tied);
  a.d_model = 96;
  a.n_heads = 12;
  a.d_ff = 384;
  a.activation = Activation::gelu_tanh;
  a.positions = Positions::learned;
  return session_of(a);
}

/// The original bert-base-uncased has d_model 768 = 12 · 64, d_ff 3072 and 12 layers.
Session bert() {
  Architecture a = full_layers(Stacks::encoder, 4, OutputLayer::tied);
  a.d_model = 96;
  a.n_heads = 12;
  a.d_ff = 384;
  a.norm = Norm::post;
  a.norm_epsilon = 1e-12F;
  a.activation = Activation::gelu;
  a.positions = Positions::learned;
  a.output_bias = true;
  return session_of(a);
}

/// The original t5-small has d_model 512 = 8 · 64, d_ff 2048 and 6 + 6 layers.
Session t5() {
  Architecture a = full_layers(Stacks::encoder_decoder, 2, OutputLayer::tied);
  a.d_model = 64;
  a.n_heads = 8;
  a.d_ff = 256;
  a.norm_kind = NormKind::rms;
  a.norm_epsilon = 1e-6F;
  a.bias = {false, false, false, false, false};
  a.positions = Positions::relative;
  a.relative_buckets = 32;
  a.score_scale = 1.0F;
  return session_of(a);
}

/// The common parts of Llama and its successors: RMS norm, a gate, rotary positions in halves as in Hugging
/// Face's models, grouped query heads, and no biases.
Architecture llama_like(int n_layers, OutputLayer output) {
  Architecture a = full_layers(Stacks::decoder, n_layers, output);
  a.norm_kind = NormKind::rms;
  a.activation = Activation::silu;
  a.gated = true;
  a.bias = {false, false, false, false, false};
  a.positions = Positions::rotary;
  a.rotary.pairing = RotaryPairing::halves;
  return a;
}

/// The original Meta-Llama-3-8B has d_model 4096 = 32 · 128, 8 key heads, d_ff 14336 and 32 layers.
Session llama_3() {
  Architecture a = llama_like(4, OutputLayer::linear);
  a.d_model = 64;
  a.n_heads = 8;
  a.n_kv_heads = 2;
  a.d_ff = 224;
  a.rotary.base = 500000.0F;
  return session_of(a);
}

/// The original Mistral-7B-v0.1 has the same sizes and a window of 4096 in every layer.
Session mistral() {
  Architecture a = llama_like(4, OutputLayer::linear);
  a.d_model = 64;
  a.n_heads = 8;
  a.n_kv_heads = 2;
  a.d_ff = 224;
  a.sliding_window = 4;
  return session_of(a);
}

/// The common parts of the Gemma models: GEGLU by tanh, embeddings times √d_model, and norms before and after
/// each sublayer.
Architecture gemma_like(int n_layers) {
  Architecture a = llama_like(n_layers, OutputLayer::tied);
  a.activation = Activation::gelu_tanh;
  a.norm = Norm::both;
  a.norm_epsilon = 1e-6F;
  a.scales_embedding = true;
  a.n_heads = 8;
  a.n_kv_heads = 4;
  a.d_head = 8;
  a.sliding_window = 4;
  return a;
}

/// The original gemma-2-2b has d_model 2304, 8 heads of 256, 4 key heads, d_ff 9216 and 26 layers, every
/// other of which is local.
Session gemma_2() {
  Architecture a = gemma_like(4);
  a.d_model = 72;
  a.d_ff = 288;
  a.global_every = 2;
  a.softcap = 50.0F;
  a.logit_softcap = 30.0F;
  return session_of(a);
}

/// The original gemma-3-4b has d_model 2560, 8 heads of 256, 4 key heads, d_ff 10240 and 34 layers, every
/// sixth of which is global.
Session gemma_3() {
  Architecture a = gemma_like(6);
  a.d_model = 80;
  a.d_ff = 320;
  a.global_every = 6;
  a.qk_norm = true;
  a.rotary.base = 1e6F;
  a.rotary.scaling = RotaryScaling::linear;
  a.rotary.factor = 8.0F;
  a.rotary.local_base = 10000.0F;
  return session_of(a);
}

/// The original Qwen3-8B has d_model 4096 = 32 · 128, 8 key heads, d_ff 12288 and 36 layers.
Session qwen_3() {
  Architecture a = llama_like(4, OutputLayer::linear);
  a.norm_epsilon = 1e-6F;
  a.d_model = 64;
  a.n_heads = 8;
  a.n_kv_heads = 2;
  a.d_ff = 192;
  a.qk_norm = true;
  a.rotary.base = 1e6F;
  return session_of(a);
}

/// The original gpt-oss-20b has d_model 2880, 64 heads of 64, 8 key heads, d_ff 2880 in each of 32 experts
/// and 24 layers, every other of which has a window of 128.
Session gpt_oss() {
  Architecture a = llama_like(4, OutputLayer::linear);
  a.bias = {};
  a.d_model = 90;
  a.n_heads = 16;
  a.n_kv_heads = 2;
  a.d_head = 8;
  a.d_ff = 90;
  a.sliding_window = 4;
  a.global_every = 2;
  a.sinks = true;
  a.rotary.base = 150000.0F;
  a.rotary.scaling = RotaryScaling::yarn;
  a.rotary.factor = 32.0F;
  a.rotary.original_length = 4096;
  return session_of(a);
}

/// The original DeepSeek-V2 has d_model 5120, d_c 512, d_ff 12288 in the layer without experts, 60 layers,
/// and 128 heads with queries and keys of 128 + 64, of which 64 are rotated, and values of 128. The ratios
/// within a head and of the model's width are kept.
Session deepseek_v2() {
  Architecture a = llama_like(4, OutputLayer::linear);
  a.norm_epsilon = 1e-6F;
  a.d_model = 40;
  a.n_heads = 16;
  a.d_head = 12;
  a.d_value = 8;
  a.kv_latent = 32;
  a.d_ff = 96;
  a.rotary.pairing = RotaryPairing::interleaved;
  a.rotary.fraction = 1.0F / 3.0F;
  a.rotary.scaling = RotaryScaling::yarn;
  a.rotary.factor = 40.0F;
  a.rotary.original_length = 4096;
  return session_of(a);
}

/// The original image models of Katharopoulos et al. 2020, section 4.2, have d_model 256 = 8 · 32, d_ff 1024
/// and 8 layers.
Session linear_attention() {
  Architecture a = full_layers(Stacks::decoder, 4, OutputLayer::linear);
  a.d_model = 64;
  a.n_heads = 8;
  a.d_ff = 256;
  a.norm = Norm::post;
  a.activation = Activation::gelu;
  a.linear_attention = true;
  return session_of(a);
}

Preset preset(const char* name, const char* summary, const std::string& differs, const Session& session) {
  return {name, "", summary, "Random weights; smaller than the real model, with the same ratios. " + differs,
          session};
}

}  // namespace

std::vector<Preset> model_presets() {
  return {
      preset("GPT-2", "Pre-norm, GELU by tanh, learned positions, causal, tied words", "", gpt_2()),
      preset("BERT", "Post-norm, GELU, learned positions, tied words with a bias",
             "BERT also adds an embedding of the segment, and predicts words through one more layer.",
             bert()),
      preset("T5", "Encoder and decoder, RMS norm, no biases, relative positions, scores not scaled", "",
             t5()),
      preset("Llama 3",
             "RMS norm, SwiGLU, rotary positions of base 500000, 4 query heads share keys and values", "",
             llama_3()),
      preset("Mistral", "Like Llama, with a sliding window in every layer",
             "Its window is 4096 tokens, here 4.", mistral()),
      preset("Gemma 2", "GEGLU, softcaps of scores and logits, local and global layers in turn",
             "Its windows are 4096 tokens, here 4.", gemma_2()),
      preset("Gemma 3", "GEGLU, normalised queries and keys, five local layers to a global one",
             "Its windows are 1024 tokens, here 4.", gemma_3()),
      preset("Qwen 3", "Like Llama, with normalised queries and keys and a rotary base of 1000000", "",
             qwen_3()),
      preset(
          "gpt-oss",
          "Sinks, biases, local and global layers in turn, YaRN, 8 query heads share keys and values",
          "gpt-oss chooses 4 of 32 feed-forward layers for each token; here there is one. The bounds between which YaRN slows its pairs are not rounded to whole pairs in gpt-oss; here they are.",
          gpt_oss()),
      preset(
          "DeepSeek-V2",
          "Keys and values of all heads from one latent row per token, and a shared rotary key",
          "DeepSeek-V2 has 128 heads, also makes queries from a latent, and chooses 6 of 160 feed-forward layers for each token besides 2 shared ones; here there is one. YaRN multiplies its scores by (0.0707 ln 40 + 1)², here by (0.1 ln 40 + 1)² as in DeepSeek-V3.",
          deepseek_v2()),
      preset("Linear attention", "No softmax: shares of φ(q) · φ(k), decoded with a state of constant size",
             "The paper's models predict pixels and sounds, not words.", linear_attention()),
  };
}

}  // namespace headscope
