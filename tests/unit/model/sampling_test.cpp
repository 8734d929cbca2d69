#include "core/model/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/tensor/random.h"

namespace headscope {
namespace {

std::vector<float> random_logits(std::size_t n, std::uint64_t seed) {
  std::vector<float> logits(n);
  RandomStream(seed, "logits").fill_normal(logits, 2.0F);
  return logits;
}

Sampling drawn() {
  Sampling sampling;
  sampling.greedy = false;
  return sampling;
}

double total(const std::vector<Candidate>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [](double sum, const Candidate& c) { return sum + c.probability; });
}

TEST(Candidates, GreedyLeavesTheLikeliest) {
  const std::vector<float> logits{0.5F, 3.0F, -1.0F, 3.0F};
  Sampling sampling;
  sampling.temperature = 0.1F;
  sampling.top_k = 3;
  sampling.top_p = 0.01F;
  const auto left = candidates(logits, sampling);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().word, 1) << "of two equal ones the first";
  EXPECT_EQ(left.front().probability, 1.0);
}

TEST(Candidates, AreTheSoftmaxAtTheirTemperatureInOrder) {
  for (const float temperature : {0.05F, 0.7F, 1.0F, 5.0F}) {
    const std::vector<float> logits = random_logits(20, 1);
    Sampling sampling = drawn();
    sampling.temperature = temperature;
    const auto all = candidates(logits, sampling);
    ASSERT_EQ(all.size(), logits.size());
    double sum = 0.0;
    for (const float logit : logits)
      sum += std::exp(static_cast<double>(logit) / static_cast<double>(temperature));
    for (const Candidate& c : all) {
      const double logit = logits[static_cast<std::size_t>(c.word)];
      EXPECT_NEAR(c.probability, std::exp(logit / static_cast<double>(temperature)) / sum, 1e-12);
    }
    EXPECT_TRUE(std::ranges::is_sorted(all, std::greater<>(), &Candidate::probability));
  }
}

TEST(Candidates, HaveNoOverflowHoweverGreatTheLogitsAre) {
  Sampling sampling = drawn();
  sampling.temperature = min_sampling_temperature;
  const auto all = candidates(std::vector<float>{3e38F, -3e38F, 3e38F}, sampling);
  EXPECT_NEAR(total(all), 1.0, 1e-12);
  EXPECT_EQ(all.front().probability, 0.5);
  EXPECT_EQ(all[1].word, 2);
}

TEST(Candidates, TopKKeepsTheLikeliest) {
  const std::vector<float> logits = random_logits(10, 2);
  const auto all = candidates(logits, drawn());
  for (const int k : {1, 3, 10, 50}) {
    Sampling sampling = drawn();
    sampling.top_k = k;
    const auto left = candidates(logits, sampling);
    ASSERT_EQ(left.size(), static_cast<std::size_t>(std::min(k, 10)));
    EXPECT_NEAR(total(left), 1.0, 1e-12);
    for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(left[i].word, all[i].word);
  }
}

TEST(Candidates, TopPKeepsAsFewAsReachIt) {
  const std::vector<float> logits = random_logits(30, 3);
  const auto all = candidates(logits, drawn());
  for (const float p : {0.0F, 0.2F, 0.9F, 1.0F}) {
    Sampling sampling = drawn();
    sampling.top_p = p;
    const auto left = candidates(logits, sampling);
    ASSERT_FALSE(left.empty());
    EXPECT_NEAR(total(left), 1.0, 1e-12);
    double before_last = 0.0;
    for (std::size_t i = 0; i + 1 < left.size(); ++i) before_last += all[i].probability;
    EXPECT_TRUE(left.size() == 1 || before_last < static_cast<double>(p));
    EXPECT_GE(before_last + all[left.size() - 1].probability, static_cast<double>(p) - 1e-12);
  }
}

/// top_p counts the words that top_k left, not all words.
TEST(Candidates, TopPCountsWithinTopK) {
  const std::vector<float> logits(100, 0.0F);
  Sampling sampling = drawn();
  sampling.top_k = 10;
  sampling.top_p = 0.45F;
  EXPECT_EQ(candidates(logits, sampling).size(), 5U);
}

TEST(Candidates, OfNothingAreNone) {
  EXPECT_TRUE(candidates({}, drawn()).empty());
}

TEST(Choose, IsTheSameForTheSameSeedAndPosition) {
  const auto all = candidates(random_logits(50, 4), drawn());
  Sampling sampling = drawn();
  std::map<int, int> at_positions;
  for (int position = 0; position < 40; ++position) {
    const int word = choose(all, sampling, position);
    EXPECT_EQ(word, choose(all, sampling, position));
    ++at_positions[word];
  }
  EXPECT_GT(at_positions.size(), 5U) << "positions draw on their own";
  int n_other = 0;
  for (int position = 0; position < 40; ++position) {
    const int word = choose(all, sampling, position);
    sampling.seed = 1;
    n_other += choose(all, sampling, position) == word ? 0 : 1;
    sampling.seed = 0;
  }
  EXPECT_GT(n_other, 10);
}

TEST(Choose, FollowsTheProbabilities) {
  const std::vector<Candidate> all{{7, 0.6}, {3, 0.3}, {5, 0.1}};
  std::map<int, int> counts;
  constexpr int n_draws = 20'000;
  for (int position = 0; position < n_draws; ++position) ++counts[choose(all, drawn(), position)];
  for (const Candidate& c : all) {
    const double five_sigma = 5.0 * std::sqrt(c.probability * (1.0 - c.probability) * n_draws);
    EXPECT_NEAR(counts[c.word], c.probability * n_draws, five_sigma);
  }
}

TEST(Choose, HasNoChoiceAmongOne) {
  const std::vector<Candidate> one{{4, 1.0}};
  for (int position = 0; position < 10; ++position) EXPECT_EQ(choose(one, Sampling{}, position), 4);
}

}  // namespace
}  // namespace headscope
