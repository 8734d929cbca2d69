#include "core/train/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/model/interventions.h"
#include "core/tensor/random.h"
#include "core/train/score_gradients.h"
#include "tests/unit/each_target.h"

namespace headscope {
namespace {

int pick_int(RandomStream& random, int low, int high) {
  return low + static_cast<int>(random.bits() % static_cast<std::uint64_t>(high - low + 1));
}

template <class Value>
Value one_of(RandomStream& random, std::initializer_list<Value> values) {
  return *(values.begin() + pick_int(random, 0, static_cast<int>(values.size()) - 1));
}

Architecture random_architecture(RandomStream& random) {
  Architecture a;
  a.stacks = one_of(random, {Stacks::encoder, Stacks::decoder, Stacks::encoder_decoder});
  a.n_layers = pick_int(random, 1, 2);
  a.n_heads = pick_int(random, 1, 3);
  a.n_kv_heads = one_of(random, {1, a.n_heads});
  if (pick_int(random, 0, 2) == 0) a.score_scale = 0.7F;
  if (pick_int(random, 0, 2) == 0) a.softcap = 1.5F;
  if (pick_int(random, 0, 2) == 0) a.logit_softcap = 2.0F;
  a.sinks = pick_int(random, 0, 2) == 0;
  a.qk_norm = pick_int(random, 0, 2) == 0;
  a.output_gate = pick_int(random, 0, 2) == 0;
  a.d_head = 2 * pick_int(random, 1, 3);
  a.d_value = pick_int(random, 1, 3) * 2;
  a.d_model = 8;
  a.bias = {pick_int(random, 0, 1) == 1, pick_int(random, 0, 1) == 1, pick_int(random, 0, 1) == 1,
            pick_int(random, 0, 1) == 1, pick_int(random, 0, 1) == 1};
  a.output_projection = pick_int(random, 0, 3) > 0;
  if (!a.output_projection) {
    a.n_heads = 2;
    a.n_kv_heads = pick_int(random, 1, 2);
    a.d_value = 4;
  }
  a.d_ff = one_of(random, {0, 5, 17});
  a.activation =
      one_of(random, {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu});
  a.gated = pick_int(random, 0, 2) == 0;
  a.norm_kind = one_of(random, {NormKind::layer, NormKind::rms});
  a.norm_epsilon = one_of(random, {1e-5F, 1e-6F, 0.1F});
  a.norm = one_of(random, {Norm::none, Norm::pre, Norm::post, Norm::both});
  a.residual = pick_int(random, 0, 2) > 0;
  a.output_layer = one_of(random, {OutputLayer::linear, OutputLayer::tied});
  a.output_bias = pick_int(random, 0, 1) == 1;
  a.scales_embedding = pick_int(random, 0, 1) == 1;
  a.positions = one_of(random, {Positions::none, Positions::sinusoidal, Positions::split, Positions::learned,
                                Positions::rotary, Positions::relative, Positions::alibi});
  if (a.residual && a.norms_allow_parallel())
    a.block = one_of(random, {Block::sequential, Block::parallel, Block::parallel_shared});
  a.rotary = {one_of(random, {10000.0F, 50.0F}),
              a.d_head == 2 ? 1.0F : one_of(random, {1.0F, 0.5F}),
              one_of(random, {RotaryPairing::interleaved, RotaryPairing::halves}),
              one_of(random, {RotaryScaling::none, RotaryScaling::linear, RotaryScaling::ntk,
                              RotaryScaling::yarn, RotaryScaling::llama3}),
              4.0F,
              16};
  if (pick_int(random, 0, 2) == 0) a.kv_latent = pick_int(random, 2, 6);
  if (a.kv_latent && a.per_head_key_width(AttentionKind::self, no_layer) == 0) {
    a.d_head = std::max(*a.d_head, 4);
    a.rotary.fraction = 0.5F;
  }
  if (pick_int(random, 0, 2) == 0) a.sliding_window = pick_int(random, 1, 3);
  if (pick_int(random, 0, 1) == 0) a.global_every = 2;
  if (pick_int(random, 0, 1) == 0) a.relative_buckets = 4;
  if (pick_int(random, 0, 1) == 0) a.rotary.local_base = 100.0F;
  a.seed = random.bits();
  if (pick_int(random, 0, 3) == 0) {
    a.linear_attention = true;
    a.kv_latent.reset();
    a.sinks = false;
    a.softcap = 0.0F;
    a.score_scale = 0.0F;
    if (a.uses_rotary() || a.has_position_biases()) a.positions = Positions::learned;
  }
  return a;
}

constexpr int words = 9;
constexpr std::size_t n_parts = 3;

Example random_example(RandomStream& random, bool has_target, bool teaches) {
  Example example;
  const auto fill = [&random](std::vector<int>& ids, int n) {
    for (int i = 0; i < n; ++i) ids.push_back(pick_int(random, 0, words - 1));
  };
  fill(example.source, pick_int(random, 1, 5));
  if (has_target) fill(example.target, pick_int(random, 1, 4));
  const std::size_t n = has_target ? example.target.size() : example.source.size();
  for (std::size_t i = 0; i < n; ++i) {
    const bool asked = pick_int(random, 0, 3) > 0;
    example.expected.push_back(asked ? pick_int(random, 0, words - 1) : -1);
    example.parts.push_back(static_cast<std::uint8_t>(asked ? pick_int(random, 1, 3) : 0));
  }
  // Every part must want something, or its mean would not be defined.
  example.expected[0] = 1;
  example.parts[0] = 3;
  if (!teaches) return example;
  // No later row is looked at, because the causal mask of a decoder hides it.
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_taught = i == 0 || pick_int(random, 0, 1) == 0;
    example.attention_targets.push_back(is_taught ? pick_int(random, 0, static_cast<int>(i)) : -1);
    if (is_taught) example.parts[i] |= 4U;
  }
  return example;
}

std::vector<Shard> random_shards(RandomStream& random, const Architecture& a, int n_shards) {
  std::vector<Example> examples;
  const int n = pick_int(random, n_shards, 5);
  const bool teaches = pick_int(random, 0, 1) == 0;
  for (int i = 0; i < n; ++i) examples.push_back(random_example(random, a.has_cross(), teaches));
  const std::vector<LossPart> parts{{"one", 1.0F}, {"other", 0.5F}, {"looks", 0.7F, true}};
  return shards_of(examples, parts, n_shards);
}

std::vector<double> random_parameters(RandomStream& random, const ParameterLayout& layout) {
  std::vector<double> numbers(layout.size);
  // Without norms, numbers grow from layer to layer, until a weight is too small for its logarithm.
  const double spread = layout.architecture.norm == Norm::none ? 0.25 : 0.5;
  for (double& number : numbers) number = spread * static_cast<double>(random.normal());
  return numbers;
}

/// A few of the indices of a parameter, because testing all of them would take too long.
std::vector<std::size_t> sampled(RandomStream& random, const NamedParameter& parameter) {
  std::vector<std::size_t> indices;
  for (int i = 0; i < 3; ++i) {
    // There are many learned positions, of which only the first are in use.
    const int row = pick_int(random, 0, std::min(parameter.rows, 6) - 1);
    const int col = pick_int(random, 0, parameter.cols - 1);
    indices.push_back(static_cast<std::size_t>(parameter.first + row * parameter.stride + col));
  }
  return indices;
}

class Gradients : public testing::TestWithParam<int> {};

TEST_P(Gradients, AreTheLossesCentralDifferences) {
  RandomStream random(static_cast<std::uint64_t>(GetParam()), "gradients");
  const Architecture a = random_architecture(random);
  ASSERT_TRUE(validate(a));
  const ParameterLayout layout = layout_of(a, words);
  std::vector<double> parameters = random_parameters(random, layout);
  const Shard shard = random_shards(random, a, 1).front();
  const float dropout = GetParam() % 3 == 0 ? 0.3F : 0.0F;

  Network<double> network(layout);
  std::vector<double> gradients(layout.size, 0.0);
  network.forward_backward(shard, n_parts, parameters.data(), gradients.data(), dropout, 7);
  std::vector<double> ignored(layout.size, 0.0);
  const auto loss = [&] {
    return network.forward_backward(shard, n_parts, parameters.data(), ignored.data(), dropout, 7).loss;
  };
  for (const NamedParameter& parameter : layout.named) {
    for (const std::size_t at : sampled(random, parameter)) {
      const double kept = parameters[at];
      const auto loss_at = [&](double offset) {
        parameters[at] = kept + offset;
        const double value = loss();
        parameters[at] = kept;
        return value;
      };
      // The difference is of fourth order because layer norms of nearly equal numbers curve the loss
      // strongly.
      constexpr double step = 1e-6;
      const double difference =
          (8.0 * (loss_at(step) - loss_at(-step)) - (loss_at(2.0 * step) - loss_at(-2.0 * step))) /
          (12.0 * step);
      EXPECT_NEAR(gradients[at], difference, 1e-6 + 1e-5 * std::abs(difference)) << parameter.path;
    }
  }
}

/// Gradient × input is the derivative of a logit by the factor of one token's embedding, and the attention ×
/// gradient of the heads that share values, over all cells, that by the factor of these values.
TEST_P(Gradients, OfALogitTimesInputsAndWeightsAreItsCentralDifferences) {
  RandomStream random(static_cast<std::uint64_t>(GetParam()), "logit gradients");
  const Architecture a = random_architecture(random);
  Shard shard;
  // Every token has a row of its own in the table, which no logit of the first words depends on if it is
  // tied.
  constexpr int n_source = 5;
  shard.source.add(std::vector{words, words + 1, words + 2, words + 3, words + 4});
  if (a.has_cross())
    shard.target.add(std::vector{words + n_source, words + n_source + 1, words + n_source + 2});
  const ParameterLayout layout = layout_of(a, words + n_source + 3);
  std::vector<double> parameters = random_parameters(random, layout);
  const int row = pick_int(random, 0, 2);
  const int word = pick_int(random, 0, words - 1);
  ScoreGradients gradients{.keeps_products = true};
  Network<double> network(layout, &gradients);
  const std::vector<double> logits = network.logit_gradients(shard, parameters.data(), row, word).finish();
  EXPECT_EQ(logits[static_cast<std::size_t>(word)],
            Network<double>(layout).forward(shard, parameters.data()).row(row)[word]);
  Network<double> other(layout);
  const auto derivative = [&](const std::vector<std::size_t>& scaled) {
    const std::vector<double> kept = parameters;
    const auto logit_at = [&](double offset) {
      for (const std::size_t at : scaled) parameters[at] = kept[at] * (1.0 + offset);
      const double value = other.forward(shard, parameters.data()).row(row)[word];
      parameters = kept;
      return value;
    };
    constexpr double step = 1e-5;
    return (8.0 * (logit_at(step) - logit_at(-step)) - (logit_at(2.0 * step) - logit_at(-2.0 * step))) /
           (12.0 * step);
  };
  const auto expect_near = [](double found, double expected, const std::string& what) {
    EXPECT_NEAR(found, expected, 1e-7 + 1e-6 * std::abs(expected)) << what;
  };
  const std::ptrdiff_t table = layout.slot({.kind = StageKind::embedding_table}).first;
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    if (!a.has(stack)) continue;
    const Sequences& tokens = a.has_cross() && stack == Stack::decoder ? shard.target : shard.source;
    ASSERT_EQ(gradients.input_products[stack].size(), tokens.ids.size());
    for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
      std::vector<std::size_t> scaled;
      for (int d = 0; d < a.d_model; ++d)
        scaled.push_back(static_cast<std::size_t>(table + tokens.ids[i] * a.d_model + d));
      expect_near(gradients.input_products[stack][i], derivative(scaled), "token " + std::to_string(i));
    }
  }
  double largest = 0.0;
  for (const HeadId& first : heads_of(a)) {
    if (first.head % a.group_size(no_layer) != 0) continue;
    const ParameterSlot values = layout.slot({StageKind::w_value, first.stack, first.layer, first.attention});
    std::vector<std::size_t> scaled;
    for (int v = 0; v < a.value_width(no_layer); ++v) {
      const int col = first.head / a.group_size(no_layer) * a.value_width(no_layer) + v;
      for (int d = 0; d < values.n_in; ++d)
        scaled.push_back(static_cast<std::size_t>(values.first + d * values.n_out + col));
      if (values.bias >= 0) scaled.push_back(static_cast<std::size_t>(values.bias + col));
    }
    double sum = 0.0;
    for (HeadId head = first; head.head < first.head + a.group_size(no_layer); ++head.head) {
      const std::vector<double>& cells = *gradients.of(head).products;
      sum = std::accumulate(cells.begin(), cells.end(), sum);
    }
    expect_near(sum, derivative(scaled), path(stage_in(first, StageKind::weights)));
    largest = std::max(largest, std::abs(sum));
  }
  EXPECT_GT(largest, 0.0);
}

INSTANTIATE_TEST_SUITE_P(RandomModels, Gradients, testing::Range(0, 80));

TEST(Gradients, OfFloatsAreThoseOfDoublesWithEveryInstructionSet) {
  for (int seed = 0; seed < 40; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed), "precision");
    const Architecture a = random_architecture(random);
    const ParameterLayout layout = layout_of(a, words);
    const std::vector<double> parameters = random_parameters(random, layout);
    const Shard shard = random_shards(random, a, 1).front();
    std::vector<double> exact(layout.size, 0.0);
    const std::vector<float> rounded(parameters.begin(), parameters.end());
    const std::vector<double> same(rounded.begin(), rounded.end());
    const Score score = Network<double>(layout).forward_backward(shard, n_parts, same.data(), exact.data());
    double largest = 0.0;
    for (const double g : exact) largest = std::max(largest, std::abs(g));
    std::vector<float> fused;
    for_each_target([&](std::int64_t target) {
      std::vector<float> quick(layout.size, 0.0F);
      const Score quick_score =
          Network<float>(layout).forward_backward(shard, n_parts, rounded.data(), quick.data());
      EXPECT_NEAR(score.loss, quick_score.loss, 1e-4 * (1.0 + score.loss));
      for (std::size_t i = 0; i < exact.size(); ++i) {
        ASSERT_NEAR(exact[i], static_cast<double>(quick[i]), 2e-4 * (largest + 1.0)) << i;
      }
      if (is_fused(target)) {
        if (fused.empty()) fused = quick;
        ASSERT_EQ(fused, quick);
      }
    });
  }
}

TEST(Gradients, OfShardsAddUp) {
  for (int seed = 0; seed < 20; ++seed) {
    const auto gradients_of = [seed](int n_shards) {
      RandomStream random(static_cast<std::uint64_t>(seed), "shards");
      const Architecture a = random_architecture(random);
      const ParameterLayout layout = layout_of(a, words);
      const std::vector<double> parameters = random_parameters(random, layout);
      std::vector<Example> examples;
      for (int i = 0; i < 5; ++i) examples.push_back(random_example(random, a.has_cross(), i % 2 == 0));
      const std::vector<LossPart> parts{{"one", 1.0F}, {"other", 0.5F}, {"looks", 0.7F, true}};
      std::vector<double> gradients(layout.size, 0.0);
      for (const Shard& shard : shards_of(examples, parts, n_shards)) {
        Network<double>(layout).forward_backward(shard, n_parts, parameters.data(), gradients.data());
      }
      return gradients;
    };
    const auto whole = gradients_of(1);
    const auto parts = gradients_of(3);
    for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(whole[i], parts[i], 1e-9);
  }
}

/// A head that is taught with weight 0 has no effect but that the whole map is computed.
TEST(Gradients, OfATriangleAreThoseOfTheWholeMap) {
  Architecture a;
  a.stacks = Stacks::decoder;
  a.d_model = 8;
  a.n_heads = 2;
  a.n_kv_heads = 1;
  a.residual = true;
  a.norm = Norm::pre;
  a.positions = Positions::rotary;
  a.output_layer = OutputLayer::tied;
  for (const int length : {1, 47, 48, 49, 100, 193}) {
    for (const bool slides : {false, true}) {
      if (slides) a.sliding_window = 30;
      const ParameterLayout layout = layout_of(a, words);
      RandomStream random(static_cast<std::uint64_t>(length), "triangle");
      const std::vector<double> drawn = random_parameters(random, layout);
      const std::vector<float> parameters(drawn.begin(), drawn.end());
      Example example;
      for (int i = 0; i < length; ++i) {
        example.source.push_back(pick_int(random, 0, words - 1));
        example.expected.push_back(pick_int(random, 0, words - 1));
      }
      example.parts.assign(example.source.size(), 1U);
      const std::vector<LossPart> parts{{"words", 1.0F}};
      Shard shard = shards_of(std::vector<Example>{example, example}, parts, 1).front();
      const auto gradients_of = [&] {
        std::vector<float> gradients(layout.size, 0.0F);
        Network<float>(layout).forward_backward(shard, 1, parameters.data(), gradients.data());
        return gradients;
      };
      const std::vector<float> of_triangle = gradients_of();
      shard.attention_targets.assign(shard.expected.size(), -1);
      ASSERT_EQ(of_triangle, gradients_of()) << length << (slides ? " tokens with a window" : " tokens");
    }
  }
}

}  // namespace
}  // namespace headscope
