#include "core/trace/targets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace headscope {
namespace {

TEST(CrossEntropy, IsMinusTheLogarithmOfTheProbability) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<float> uniform(-30.0F, 30.0F);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> logits(1 + static_cast<std::size_t>(round % 17));
    for (float& logit : logits) logit = uniform(generator);
    double sum = 0.0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    for (std::size_t wanted = 0; wanted < logits.size(); ++wanted) {
      const double probability = std::exp(static_cast<double>(logits[wanted])) / sum;
      EXPECT_NEAR(cross_entropy(logits, static_cast<int>(wanted)), -std::log(probability), 1e-9);
    }
  }
}

TEST(CrossEntropy, StaysFiniteWhereTheProbabilityIsNoFloat) {
  const std::vector<float> logits{0.0F, 1000.0F};
  EXPECT_DOUBLE_EQ(cross_entropy(logits, 0), 1000.0);
  EXPECT_DOUBLE_EQ(cross_entropy(logits, 1), 0.0);
}

}  // namespace
}  // namespace headscope
