#pragma once

#include "core/trace/trace.h"
#include "tests/unit/engine/passes.h"

namespace headscope {

/// A request with one or two stacks of layers of random sizes and options, without a mask except that a lone
/// decoder is causal. It is always valid.
inline Request random_transformer(std::uint64_t seed, Stacks stacks) {
  RandomStream random(seed, "transformer");
  const int n_heads = pick(random, 1, 4);
  Request request = request_for(words(pick(random, 2, 40)), n_heads * pick(random, 4, 10) * 2, n_heads);
  for (int i = pick(random, 2, 20); i > 0; --i) request.target += "ziel" + std::to_string(i) + " ";
  Architecture& a = request.architecture;
  a.stacks = stacks;
  a.n_layers = pick(random, 1, 3);
  if (n_heads % 2 == 0 && pick(random, 0, 1) == 0) a.n_kv_heads = n_heads / 2;
  if (pick(random, 0, 4) == 0) a.softcap = 3.0F;
  a.sinks = pick(random, 0, 4) == 0;
  a.qk_norm = pick(random, 0, 4) == 0;
  a.output_gate = pick(random, 0, 4) == 0;
  if (pick(random, 0, 4) == 0) a.logit_softcap = 5.0F;
  a.d_ff = pick(random, 1, 60);
  a.norm = static_cast<Norm>(pick(random, 0, 3));
  a.residual = pick(random, 0, 3) > 0;
  a.activation = static_cast<Activation>(pick(random, 0, 3));
  // Without norms, the products of a gate grow from layer to layer.
  a.gated = pick(random, 0, 2) == 0 && a.norm != Norm::none;
  a.norm_kind = static_cast<NormKind>(pick(random, 0, 1));
  if (a.norms_allow_parallel() && a.residual) a.block = static_cast<Block>(pick(random, 0, 2));
  a.rotary.pairing = static_cast<RotaryPairing>(pick(random, 0, 1));
  a.rotary.scaling = static_cast<RotaryScaling>(pick(random, 0, 4));
  a.rotary.factor = static_cast<float>(pick(random, 1, 8));
  a.positions = static_cast<Positions>(pick(random, 0, 6));
  if (pick(random, 0, 3) == 0) {
    a.kv_latent = pick(random, 6, 20);
    a.rotary.fraction = 0.5F;
  }
  a.output_layer = static_cast<OutputLayer>(pick(random, 0, 2));
  a.output_bias = a.n_layers == 2;
  a.seed = random.bits();
  request.attention.mask.causal = stacks == Stacks::decoder;
  const bool is_tiny = a.positions != Positions::rotary && pick(random, 0, 4) == 0;
  if (is_tiny) a.d_model = n_heads * pick(random, 1, 3);
  return request;
}

/// A random transformer of any number of stacks that predicts words.
inline Request predicting_transformer(std::uint64_t seed) {
  Request request = random_transformer(seed, static_cast<Stacks>(seed % 3));
  if (request.architecture.output_layer == OutputLayer::none)
    request.architecture.output_layer = OutputLayer::linear;
  return request;
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

/// The text with its word number `index` replaced by another word.
inline std::string with_word(const std::string& text, int index, const std::string& word) {
  std::string result;
  int place = 0;
  for (const Token& token : tokenize(text, TokenizerKind::word)) {
    result += (place++ == index ? word : token.text) + " ";
  }
  return result;
}

inline int n_words(const std::string& text) {
  return static_cast<int>(tokenize(text, TokenizerKind::word).size());
}

/// The share of a row of weights on the head's sink; 0 without one.
inline double sink_share(const Trace& trace, const StageId& weights, int row) {
  const StageId share = with_kind(weights, StageKind::sink_share);
  return trace.has(share) ? static_cast<double>(trace.number(share, row, 0)) : 0.0;
}

/// All stages of a kind, of every attention and layer.
inline std::vector<StageId> stages_of_kind(const Trace& trace, StageKind kind) {
  std::vector<StageId> ids = trace.stages();
  std::erase_if(ids, [kind](const StageId& id) { return id.kind != kind; });
  return ids;
}

}  // namespace headscope
