#include <gtest/gtest.h>

#include <cmath>

#include "core/tensor/random.h"
#include "core/train/trainer.h"
#include "tests/unit/each_target.h"

namespace headscope {
namespace {

/// The numbers are the first steps of torch.optim.AdamW([1, -2], lr=0.1, weight_decay=0.5) with the gradients
/// (0.5, -1) and (1, 0).
TEST(Adam, StepsAsPyTorchsAdamW) {
  Adam adam(2);
  AdamOptions options;
  options.learning_rate = 0.1F;
  options.warm_up = 0;
  options.weight_decay = 0.5F;
  float parameters[] = {1.0F, -2.0F};
  const float first[] = {0.5F, -1.0F};
  adam.step(options, first, parameters);
  EXPECT_NEAR(parameters[0], 0.85F, 1e-5F);
  EXPECT_NEAR(parameters[1], -1.8F, 1e-5F);
  const float second[] = {1.0F, 0.0F};
  adam.step(options, second, parameters);
  EXPECT_NEAR(parameters[0], 0.7109F, 1e-4F);
  EXPECT_NEAR(parameters[1], -1.6430F, 1e-4F);
}

TEST(Adam, StepsAlikeWithEveryInstructionSet) {
  constexpr std::size_t n = 77;
  std::vector<float> expected;
  for_each_target([&](std::int64_t) {
    RandomStream random(1);
    std::vector<float> parameters(n);
    std::vector<float> gradients(n);
    random.fill_normal(parameters, 1.0F);
    Adam adam(n);
    for (int step = 0; step < 5; ++step) {
      random.fill_normal(gradients, 1.0F);
      adam.step(AdamOptions(), gradients.data(), parameters.data());
    }
    if (expected.empty()) expected = parameters;
    EXPECT_EQ(expected, parameters);
  });
}

TEST(Adam, TheLearningRateRisesThenFalls) {
  AdamOptions options;
  options.learning_rate = 1.0F;
  options.warm_up = 10;
  EXPECT_FLOAT_EQ(learning_rate_at(options, 0), 0.1F);
  EXPECT_FLOAT_EQ(learning_rate_at(options, 9), 1.0F);
  EXPECT_FLOAT_EQ(learning_rate_at(options, 100'000), 1.0F);
  options.decay_steps = 110;
  EXPECT_FLOAT_EQ(learning_rate_at(options, 60), 0.5F);
  EXPECT_FLOAT_EQ(learning_rate_at(options, 110), 0.05F);
  EXPECT_FLOAT_EQ(learning_rate_at(options, 100'000), 0.05F);
}

TEST(Adam, SparesVectorsFromDecay) {
  AdamOptions options;
  options.warm_up = 0;
  options.learning_rate = 0.1F;
  options.weight_decay = 0.5F;
  const std::vector<float> no_gradient(4, 0.0F);
  std::vector<float> parameters(4, 1.0F);
  Adam adam(4, {{1, 2}, {3, 4}});
  adam.step(options, no_gradient.data(), parameters.data());
  EXPECT_EQ(parameters, std::vector<float>(4, 0.95F));
  options.decays_matrices_only = true;
  parameters.assign(4, 1.0F);
  adam.step(options, no_gradient.data(), parameters.data());
  EXPECT_EQ(parameters, (std::vector<float>{0.95F, 1.0F, 0.95F, 1.0F}));
}

TEST(Adam, TheLearningRateFallsAlongACosine) {
  AdamOptions options;
  options.learning_rate = 1.0F;
  options.warm_up = 10;
  options.decay_steps = 110;
  options.cosine_decay = true;
  EXPECT_FLOAT_EQ(learning_rate_at(options, 10), 1.0F);
  EXPECT_NEAR(learning_rate_at(options, 60), 0.05F + 0.95F * 0.5F, 1e-6F);
  EXPECT_NEAR(learning_rate_at(options, 35), 0.05F + 0.95F * 0.5F * (1.0F + std::sqrt(0.5F)), 1e-6F);
  EXPECT_FLOAT_EQ(learning_rate_at(options, 110), 0.05F);
  EXPECT_FLOAT_EQ(learning_rate_at(options, 500), 0.05F);
}

}  // namespace
}  // namespace headscope
