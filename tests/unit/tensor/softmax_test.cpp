#include "core/tensor/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/tensor/random.h"
#include "tests/unit/tensor/key_masks.h"

namespace headscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// A block of scores that owns its numbers.
struct Scores {
  Scores(int n_rows, int n_cols)
      : rows(n_rows), cols(n_cols), raw(count()), scaled(count()), masked(count()), weights(count(), 99.0F) {}

  std::size_t count() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
  std::size_t at(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
  }
  ScoreBlock block() { return {rows, cols, raw.data(), scaled.data(), masked.data(), weights.data()}; }

  int rows, cols;
  std::vector<float> raw, scaled, masked, weights;
};

Scores random_scores(int rows, int cols, std::uint64_t seed) {
  Scores scores(rows, cols);
  RandomStream random(seed, "scores");
  for (float& value : scores.raw) value = random.normal() * 6.0F;
  for (float& value : scores.masked) value = random.uniform() < 0.3 ? minus_infinity : random.normal() * 6.0F;
  return scores;
}

/// The softmax of these numbers in double precision, or zeros if no number is visible.
std::vector<double> expected_softmax(const std::vector<double>& scores) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (const double score : scores) maximum = std::max(maximum, score);
  std::vector<double> weights(scores.size(), 0.0);
  if (std::isinf(maximum)) return weights;
  double sum = 0.0;
  for (const double score : scores) sum += std::exp(score - maximum);
  for (std::size_t i = 0; i < scores.size(); ++i) weights[i] = std::exp(scores[i] - maximum) / sum;
  return weights;
}

TEST(Exponentials, AreWithinTheirErrorOfTheLibrarys) {
  RandomStream random(1);
  std::vector<float> arguments;
  for (int i = 0; i < 200'000; ++i) arguments.push_back(random.uniform(-87.3F, 0.0F));
  for (int i = 0; i < 50'000; ++i) arguments.push_back(random.uniform(-1.0F, 0.0F));
  std::vector<float> values = arguments;
  exp_in_place(values.data(), static_cast<int>(values.size()));
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exact = std::exp(static_cast<double>(arguments[i]));
    worst = std::max(worst, std::abs(values[i] - exact) / exact);
  }
  EXPECT_LT(worst, 2e-7);
}

TEST(Exponentials, EndsAreExact) {
  std::vector<float> values{0.0F, -0.0F, minus_infinity, -88.0F, -1e9F, -std::numeric_limits<float>::max()};
  exp_in_place(values.data(), static_cast<int>(values.size()));
  EXPECT_EQ(values, (std::vector<float>{1.0F, 1.0F, 0.0F, 0.0F, 0.0F, 0.0F}));
}

TEST(Exponentials, NaNStaysNaNAndHarmsNoOther) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int n : {1, 3, 16, 35}) {
    std::vector<float> values(static_cast<std::size_t>(n), -1.0F);
    values.back() = nan;
    exp_in_place(values.data(), n);
    EXPECT_TRUE(std::isnan(values.back()));
    for (int i = 0; i + 1 < n; ++i) EXPECT_NEAR(values[static_cast<std::size_t>(i)], std::exp(-1.0F), 1e-7);
  }
}

TEST(Exponentials, DoNotDependOnWhereANumberStands) {
  std::vector<float> long_row(67);
  RandomStream random(2);
  random.fill_uniform(long_row, -20.0F, 0.0F);
  std::vector<float> together = long_row;
  exp_in_place(together.data(), static_cast<int>(together.size()));
  for (std::size_t i = 0; i < long_row.size(); ++i) {
    float alone = long_row[i];
    exp_in_place(&alone, 1);
    EXPECT_EQ(alone, together[i]);
  }
}

TEST(ScaleAndMask, EveryCombination) {
  for (const bool with_visible : {false, true}) {
    for (const bool with_added : {false, true}) {
      Scores scores = random_scores(5, 7, 3);
      std::vector<std::uint8_t> visible(scores.count());
      std::vector<float> added(scores.count());
      RandomStream random(4);
      for (auto& cell : visible) cell = random.uniform() < 0.5 ? 1 : 0;
      random.fill_normal(added, 1.0F);
      ScoreBlock block = scores.block();
      const KeyMask mask = mask_of(visible, 7);
      if (with_visible) block.visible = &mask;
      if (with_added) block.added = added.data();
      scale_and_mask(block, 0.25F, -1e9F);
      for (std::size_t i = 0; i < scores.count(); ++i) {
        const float scaled = scores.raw[i] * 0.25F;
        const float sum = with_added ? scaled + added[i] : scaled;
        ASSERT_EQ(scores.scaled[i], scaled);
        ASSERT_EQ(scores.masked[i], with_visible && visible[i] == 0 ? -1e9F : sum);
      }
    }
  }
}

/// The biases of a row start one place before those of the row above, because a bias depends only on the
/// distance.
TEST(ScaleAndMask, BiasesFollowTheDistance) {
  constexpr int n = 6;
  for (const bool with_others : {false, true}) {
    Scores scores = random_scores(n, n, 8);
    std::vector<float> by_distance(2 * n - 1);
    for (std::size_t i = 0; i < by_distance.size(); ++i) by_distance[i] = static_cast<float>(i) * 0.5F;
    const std::vector<float> added(scores.count(), 0.25F);
    std::vector<std::uint8_t> visible(scores.count(), 1);
    visible[scores.at(2, 3)] = 0;
    const KeyMask mask = mask_of(visible, n);
    ScoreBlock block = scores.block();
    block.biases = by_distance.data() + n - 1;
    if (with_others) {
      block.added = added.data();
      block.visible = &mask;
    }
    scale_and_mask(block, 0.5F, minus_infinity);
    for (int row = 0; row < n; ++row) {
      for (int col = 0; col < n; ++col) {
        const float bias = static_cast<float>(col - row + n - 1) * 0.5F;
        const float sum = scores.raw[scores.at(row, col)] * 0.5F + bias + (with_others ? 0.25F : 0.0F);
        const bool hidden = with_others && row == 2 && col == 3;
        ASSERT_FLOAT_EQ(scores.masked[scores.at(row, col)], hidden ? minus_infinity : sum);
      }
    }
  }
}

TEST(ScaleAndMask, NothingButScaleWhereMaskedIsScaled) {
  Scores scores = random_scores(3, 4, 5);
  ScoreBlock block = scores.block();
  block.masked = block.scaled;
  scale_and_mask(block, 0.5F, minus_infinity);
  for (std::size_t i = 0; i < scores.count(); ++i) ASSERT_EQ(scores.scaled[i], scores.raw[i] * 0.5F);
}

class Softmax : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Softmax, OverKeysIsTheSoftmaxOfEachRow) {
  const auto [rows, cols] = GetParam();
  Scores scores = random_scores(rows, cols, 6);
  softmax_over_keys(scores.block());
  for (int row = 0; row < rows; ++row) {
    std::vector<double> expected;
    for (int col = 0; col < cols; ++col) expected.push_back(scores.masked[scores.at(row, col)]);
    expected = expected_softmax(expected);
    for (int col = 0; col < cols; ++col) {
      const float weight = scores.weights[scores.at(row, col)];
      ASSERT_NEAR(weight, expected[static_cast<std::size_t>(col)], 2e-6);
      if (std::isinf(scores.masked[scores.at(row, col)])) {
        ASSERT_EQ(weight, 0.0F);
      }
    }
  }
}

TEST_P(Softmax, OverQueriesIsTheSoftmaxOfEachColumn) {
  const auto [rows, cols] = GetParam();
  Scores scores = random_scores(rows, cols, 7);
  softmax_over_queries(scores.block());
  for (int col = 0; col < cols; ++col) {
    std::vector<double> expected;
    for (int row = 0; row < rows; ++row) expected.push_back(scores.masked[scores.at(row, col)]);
    expected = expected_softmax(expected);
    for (int row = 0; row < rows; ++row) {
      ASSERT_NEAR(scores.weights[scores.at(row, col)], expected[static_cast<std::size_t>(row)], 2e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Softmax,
                         testing::Values(std::pair{1, 1}, std::pair{1, 9}, std::pair{9, 1}, std::pair{4, 8},
                                         std::pair{7, 23}, std::pair{6, 24}, std::pair{5, 25},
                                         std::pair{13, 31}, std::pair{3, 257}));

TEST(SoftmaxRows, NothingVisibleGivesZerosAndGreatScoresDoNotOverflow) {
  Scores scores(3, 4);
  scores.masked = {minus_infinity, minus_infinity, minus_infinity, minus_infinity, 1e30F, 1e30F,
                   minus_infinity, -1e30F,         -1e9F,          -1e9F,          -1e9F, -1e9F};
  softmax_over_keys(scores.block());
  EXPECT_EQ(scores.weights,
            (std::vector<float>{0.0F, 0.0F, 0.0F, 0.0F, 0.5F, 0.5F, 0.0F, 0.0F, 0.25F, 0.25F, 0.25F, 0.25F}));
}

TEST(SoftmaxRows, AScoreThatIsNoNumberMakesItsRowNoneAndNoOther) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Scores scores(2, 3);
  scores.masked = {infinity, 1.0F, minus_infinity, 2.0F, 2.0F, minus_infinity};
  softmax_over_keys(scores.block());
  for (int key = 0; key < 3; ++key) EXPECT_TRUE(std::isnan(scores.weights[scores.at(0, key)]));
  EXPECT_EQ(std::vector<float>(scores.weights.begin() + 3, scores.weights.end()),
            (std::vector<float>{0.5F, 0.5F, 0.0F}));
}

TEST(SoftmaxColumns, NothingVisibleGivesZeros) {
  Scores scores(2, 2);
  scores.masked = {minus_infinity, 3.0F, minus_infinity, 3.0F};
  softmax_over_queries(scores.block());
  EXPECT_EQ(scores.weights, (std::vector<float>{0.0F, 0.5F, 0.0F, 0.5F}));
}

}  // namespace
}  // namespace headscope
