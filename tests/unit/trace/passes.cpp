#include "tests/unit/trace/passes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope::testing {
namespace {

constexpr int max_tokens = 14;

template <class Enum>
Enum choice(std::mt19937& random, Enum last) {
  return static_cast<Enum>(between(random, 0, static_cast<int>(last)));
}

/// Whether the numbers would grow so much from layer to layer that they soon overflow.
bool would_overflow(const Architecture& a) {
  return a.init == Init::normal && a.norm == Norm::none && a.n_layers > 1;
}

Rotary random_rotary(std::mt19937& random) {
  constexpr std::array bases{10000.0F, 500000.0F, 20.0F};
  return {bases.at(static_cast<std::size_t>(between(random, 0, 2))),
          coin(random) ? 1.0F : 0.5F,
          choice(random, RotaryPairing::halves),
          choice(random, RotaryScaling::llama3),
          static_cast<float>(between(random, 1, 16)),
          between(random, 8, 4096)};
}

/// Turns on linear attention, and turns off what it cannot be combined with.
void make_linear(Architecture& a) {
  a.linear_attention = true;
  a.kv_latent.reset();
  a.sinks = false;
  a.softcap = 0.0F;
  a.score_scale = 0.0F;
  if (a.uses_rotary() || a.has_position_biases()) a.positions = Positions::sinusoidal;
}

/// A mask file may hide keys from linear attention but cannot add anything to its scores.
void add_nothing(MaskSpec& mask) {
  for (std::shared_ptr<const LoadedMask>& loaded : mask.loaded) {
    LoadedMask hides = *loaded;
    for (float& value : hides.values) value = hides.additive && std::isfinite(value) ? 0.0F : value;
    loaded = std::make_shared<const LoadedMask>(std::move(hides));
  }
}

/// Adds parts that only models from elsewhere have, each with some probability.
void add_foreign_parts(std::mt19937& random, Architecture& a) {
  ForeignParts& f = a.foreign;
  f.segments = coin(random) ? between(random, 1, 3) : 0;
  f.embedding_norm = coin(random);
  f.output_transform = coin(random);
  f.adds_distance_biases = a.positions == Positions::learned && !a.linear_attention && coin(random);
  if (coin(random)) f.output_factor = 0.25F;
  if (coin(random)) f.embedding_factor = 12.0F;
  if (coin(random)) f.slope_factor = 0.5F;
  if (a.d_ff > 0 && coin(random)) {
    const int count = between(random, 1, 5);
    f.experts = Experts{count, between(random, 1, count), between(random, 1, 6), coin(random),
                        coin(random) ? between(random, 1, 6) : 0};
    a.d_ff = f.experts->hidden();
    f.experts->has_shared_gate = coin(random);
    f.experts->uses_sigmoid = coin(random);
    f.experts->has_correction = coin(random);
    if (coin(random)) f.experts->factor = 2.5F;
    if (count % 2 == 0 && f.experts->top_k <= count / 2) f.experts->groups = 2;
    if (coin(random)) f.dense_layers = {true, false, true};
    f.dense_layers_width = between(random, 1, 9);
  }
  if (coin(random)) f.gate_limit = 0.5F;
  if (coin(random)) f.query_latent = between(random, 1, 9);
  f.head_norm = choice(random, HeadNorm::layer_of_head);
  f.omits_first_norm = coin(random);
  if (coin(random)) f.unrotated_layers = {true, false, false};
  f.omits_final_norm = coin(random);
  f.per_stack_positions = coin(random);
  f.per_layer_biases = coin(random);
  f.sines_first = coin(random);
  if (a.stacks == Stacks::encoder_decoder && coin(random))
    (coin(random) ? f.encoder_layers : f.decoder_layers) = between(random, 1, a.n_layers);
  if (coin(random)) f.first_position = 2;
  if (f.first_position > 0 && coin(random)) f.padding_id = between(random, 0, 9);
  const bool fits = a.output_layer != OutputLayer::tied || f.output_transform;
  if (fits && coin(random)) f.embedding_width = between(random, 2, 12);
}

/// Adds products with relative positions to the scores, and removes what they cannot be combined with.
void disentangle(std::mt19937& random, Architecture& a) {
  a.stacks = Stacks::encoder;
  a.linear_attention = false;
  a.positions = Positions::none;
  a.n_kv_heads.reset();
  a.kv_latent.reset();
  ForeignParts& f = a.foreign;
  f.query_latent.reset();
  f.embedding_width.reset();
  f.adds_distance_biases = false;
  f.disentangled = Disentangled{coin(random), true, coin(random), coin(random)};
  if (coin(random)) std::swap(f.disentangled->content_to_position, f.disentangled->position_to_content);
  f.disentangled->buckets = coin(random) ? between(random, 2, 6) : 0;
  f.disentangled->max_distance = between(random, 5, 12);
  f.position_rows = 2 * f.disentangled->span();
}

Architecture random_architecture(std::mt19937& random) {
  Architecture a;
  a.stacks = choice(random, Stacks::cross);
  a.n_layers = between(random, 1, 3);
  a.n_heads = between(random, 1, a.n_layers == 1 ? 16 : 4);
  a.d_model = a.n_heads * between(random, (8 + a.n_heads - 1) / a.n_heads, 8);
  const int group = between(random, 1, 4);
  if (a.n_heads % group == 0) a.n_kv_heads = a.n_heads / group;
  if (between(random, 0, 3) == 0) a.score_scale = static_cast<float>(between(random, 1, 20)) * 0.05F;
  if (between(random, 0, 2) == 0) a.softcap = static_cast<float>(between(random, 1, 20));
  if (between(random, 0, 2) == 0) a.logit_softcap = static_cast<float>(between(random, 1, 20));
  a.sinks = between(random, 0, 2) == 0;
  a.qk_norm = between(random, 0, 2) == 0;
  a.output_gate = between(random, 0, 2) == 0;
  if (coin(random)) a.d_head = between(random, 1, 24);
  if (coin(random)) a.d_value = between(random, 1, 24);
  a.bias = {coin(random), coin(random), coin(random), coin(random), coin(random)};
  if (coin(random)) a.d_ff = between(random, 1, 24);
  a.activation = choice(random, Activation::silu);
  a.gated = coin(random);
  a.norm_kind = choice(random, NormKind::rms);
  a.norm_epsilon = coin(random) ? 1e-6F : 0.02F;
  a.norm = choice(random, Norm::both);
  a.residual = coin(random);
  a.output_layer = choice(random, OutputLayer::tied);
  a.output_bias = coin(random);
  a.positions = choice(random, Positions::alibi);
  if (a.positions == Positions::rotary && a.head_width(no_layer) % 2 != 0)
    a.d_head = a.head_width(no_layer) + 1;
  a.rotary = random_rotary(random);
  if (rotated_width(a.rotary, a.head_width(no_layer)) == 0) a.rotary.fraction = 1.0F;
  if (between(random, 0, 2) == 0) a.kv_latent = between(random, 1, 24);
  if (a.kv_latent && a.per_head_key_width(AttentionKind::self, no_layer) == 0) {
    a.d_head = 2 * a.head_width(no_layer);
    a.rotary.fraction = 0.5F;
  }
  a.block = choice(random, Block::parallel_shared);
  // A parallel block ends in a sum that no norm follows.
  if (a.is_parallel() && (!a.norms_allow_parallel() || !a.residual)) a.block = Block::sequential;
  if (between(random, 0, 2) == 0) a.sliding_window = between(random, 1, 6);
  if (coin(random)) a.global_every = between(random, 1, 3);
  if (coin(random)) a.relative_buckets = 2 * between(random, 2, 8);
  if (coin(random)) a.rotary.local_base = 100.0F;
  a.output_projection = coin(random);
  // Without a projection, the heads' outputs fit the next stage only if together they are as wide as d_model.
  if (!validate(a)) a.output_projection = true;
  a.init = choice(random, Init::scaled);
  if (would_overflow(a)) a.init = Init::scaled;
  // Without norms, the products of a gate would grow from layer to layer.
  if (a.norm == Norm::none && a.n_layers > 1) a.gated = false;
  a.seed = static_cast<std::uint64_t>(between(random, 0, 1000));
  if (between(random, 0, 4) == 0) make_linear(a);
  if (between(random, 0, 3) == 0) add_foreign_parts(random, a);
  if (between(random, 0, 5) == 0) disentangle(random, a);
  return a;
}

std::shared_ptr<const LoadedMask> random_loaded_mask(std::mt19937& random, const MaskSizes& sizes) {
  LoadedMask mask;
  mask.name = "mask.npy";
  mask.additive = coin(random);
  mask.n_sequences = coin(random) ? 1 : sizes.n_sequences;
  mask.n_heads = coin(random) ? 1 : sizes.n_heads;
  mask.rows = coin(random) ? sizes.n_queries : 1;
  mask.cols = sizes.n_keys;
  mask.values.resize(static_cast<std::size_t>(mask.n_sequences * mask.n_heads * mask.rows * mask.cols));
  std::normal_distribution<float> normal;
  for (float& value : mask.values) {
    const bool hides = between(random, 0, 3) == 0;
    if (mask.additive) {
      value = hides ? -std::numeric_limits<float>::infinity() : normal(random);
    } else {
      value = hides ? 0.0F : 1.0F;
    }
  }
  return std::make_shared<const LoadedMask>(std::move(mask));
}

MaskSpec random_mask(std::mt19937& random, const MaskSizes& sizes) {
  MaskSpec mask;
  mask.causal = coin(random);
  if (between(random, 0, 2) == 0) mask.window = between(random, 0, 3);
  if (mask.window && coin(random)) mask.first_keys = between(random, 0, 3);
  if (between(random, 0, 2) == 0) mask.prefix = between(random, 0, sizes.n_keys);
  if (between(random, 0, 4) == 0) mask.block = between(random, 1, 6);
  if (between(random, 0, 4) == 0) mask.dilation = between(random, 1, 3);
  if (between(random, 0, 4) == 0) mask.documents = {between(random, 0, sizes.n_keys - 1)};
  if (between(random, 0, 4) == 0) mask.separator = "word" + std::to_string(between(random, 0, 9));
  if (between(random, 0, 2) == 0) mask.padding = {between(random, 0, sizes.n_keys - 1)};
  if (between(random, 0, 3) == 0) {
    const int query = between(random, 0, sizes.n_queries - 1);
    for (int key = 0; key < sizes.n_keys; ++key) mask.painted.push_back({query, key});
  }
  if (between(random, 0, 2) == 0) mask.loaded = {random_loaded_mask(random, sizes)};
  return mask;
}

std::string random_sentence(std::mt19937& random, int n_tokens) {
  std::string text;
  for (int t = 0; t < n_tokens; ++t) text += " word" + std::to_string(between(random, 0, 9));
  return text;
}

/// Adds a batch to the request. Returns the length to which its sentences are padded.
int add_batch(std::mt19937& random, Request& request) {
  int longest = 0;
  for (int i = between(random, 1, 4); i > 0; --i) {
    const int n_tokens = between(random, 1, max_tokens);
    request.batch.push_back(random_sentence(random, n_tokens));
    longest = std::max(longest, n_tokens);
  }
  request.sequence = between(random, 0, static_cast<int>(request.batch.size()) - 1);
  return longest;
}

void add_masks(std::mt19937& random, int n_source, int n_target, Request& request) {
  MaskSizes sizes;
  sizes.n_heads = request.architecture.n_heads;
  sizes.n_sequences = std::max(static_cast<int>(request.batch.size()), 1);
  const auto mask = [&](int n_queries, int n_keys) {
    sizes.n_queries = n_queries;
    sizes.n_keys = n_keys;
    return random_mask(random, sizes);
  };
  AttentionOptions& attention = request.attention;
  if (coin(random)) attention.mask = mask(n_source, n_source);
  if (coin(random)) attention.target_mask = mask(n_target, n_target);
  if (coin(random)) attention.cross_mask = mask(n_target, n_source);
}

}  // namespace

std::shared_ptr<const Trace> pass(const Request& request) {
  static Engine engine(2);
  auto trace = engine.compute(request);
  if (!trace) {
    ADD_FAILURE() << trace.error().message;
    return nullptr;
  }
  return *trace;
}

Request small_request() {
  Request request;
  request.sentence = animal;
  request.architecture.d_model = 32;
  request.architecture.n_heads = 4;
  return request;
}

Request random_request(std::mt19937& random) {
  Request request;
  int n_source = between(random, 1, max_tokens);
  const int n_target = between(random, 1, max_tokens);
  request.sentence = random_sentence(random, n_source);
  request.target = random_sentence(random, n_target);
  if (between(random, 0, 3) == 0) n_source = add_batch(random, request);
  request.tokenizer = between(random, 0, 3) == 0 ? TokenizerKind::seed1 : TokenizerKind::word;
  request.architecture = random_architecture(random);
  AttentionOptions& attention = request.attention;
  attention.scale = coin(random);
  if (coin(random)) attention.temperature = static_cast<float>(between(random, 1, 40)) * 0.1F;
  attention.softmax = between(random, 0, 3) == 0 ? SoftmaxAxis::queries : SoftmaxAxis::keys;
  constexpr std::array mask_values{MaskValue::minus_infinity, MaskValue::minus_1e9, -2.5F};
  attention.mask_value = mask_values.at(static_cast<std::size_t>(between(random, 0, 2)));
  attention.train = between(random, 0, 2) == 0;
  attention.dropout = static_cast<float>(between(random, 0, 9)) * 0.1F;
  attention.dropout_seed = static_cast<std::uint64_t>(between(random, 0, 1000));
  if (coin(random)) attention.query_offset = between(random, -3, 5);
  add_masks(random, n_source, n_target, request);
  if (!request.architecture.linear_attention) return request;
  attention.softmax = SoftmaxAxis::keys;
  for (MaskSpec* mask : {&attention.mask, &attention.target_mask, &attention.cross_mask}) add_nothing(*mask);
  return request;
}

int between(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

bool coin(std::mt19937& random) {
  return between(random, 0, 1) == 1;
}

}  // namespace headscope::testing
