#include "tests/unit/trace/passes.h"

#include <algorithm>
#include <limits>

namespace headscope::testing {
namespace {

constexpr int most_tokens = 14;

Architecture random_architecture(std::mt19937& random) {
  Architecture a;
  a.n_heads = between(random, 1, 16);
  a.d_model = a.n_heads * between(random, (8 + a.n_heads - 1) / a.n_heads, 8);
  if (coin(random)) a.d_head = between(random, 1, 24);
  if (coin(random)) a.d_value = between(random, 1, 24);
  a.bias = {coin(random), coin(random), coin(random), coin(random)};
  a.output_projection = coin(random);
  a.positions = coin(random) ? Positions::sinusoidal : Positions::none;
  a.init = static_cast<Init>(between(random, 0, 2));
  a.seed = static_cast<std::uint64_t>(between(random, 0, 1000));
  return a;
}

std::shared_ptr<const LoadedMask> random_loaded_mask(std::mt19937& random, int n_tokens, int n_heads) {
  LoadedMask mask;
  mask.name = "mask.npy";
  mask.additive = coin(random);
  mask.n_heads = coin(random) ? 1 : n_heads;
  mask.rows = mask.n_heads > 1 || coin(random) ? n_tokens : 1;
  mask.cols = n_tokens;
  mask.values.resize(static_cast<std::size_t>(mask.n_heads) * static_cast<std::size_t>(mask.rows) *
                     static_cast<std::size_t>(mask.cols));
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

MaskSpec random_mask(std::mt19937& random, int n_tokens, int n_heads) {
  MaskSpec mask;
  mask.causal = coin(random);
  if (between(random, 0, 2) == 0) mask.window = between(random, 0, 3);
  if (between(random, 0, 2) == 0) mask.padding = {between(random, 0, n_tokens - 1)};
  if (between(random, 0, 3) == 0) {
    const int query = between(random, 0, n_tokens - 1);
    for (int key = 0; key < n_tokens; ++key) mask.painted.push_back({query, key});
  }
  if (between(random, 0, 2) == 0) mask.loaded = {random_loaded_mask(random, n_tokens, n_heads)};
  return mask;
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
  const int n_tokens = between(random, 1, most_tokens);
  for (int t = 0; t < n_tokens; ++t) request.sentence += " word" + std::to_string(between(random, 0, 9));
  request.tokenizer = between(random, 0, 3) == 0 ? TokenizerKind::seed1 : TokenizerKind::word;
  request.architecture = random_architecture(random);
  AttentionOptions& attention = request.attention;
  attention.scale = coin(random);
  if (coin(random)) attention.temperature = static_cast<float>(between(random, 1, 40)) * 0.1F;
  attention.softmax = between(random, 0, 3) == 0 ? SoftmaxAxis::queries : SoftmaxAxis::keys;
  attention.mask_value = coin(random) ? MaskValue::minus_infinity : MaskValue::minus_1e9;
  if (coin(random)) attention.mask = random_mask(random, n_tokens, request.architecture.n_heads);
  return request;
}

int between(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

bool coin(std::mt19937& random) {
  return between(random, 0, 1) == 1;
}

}  // namespace headscope::testing
