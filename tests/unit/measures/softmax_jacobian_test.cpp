#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/measures/head_scale.h"

namespace headscope {
namespace {

constexpr double no_part = -std::numeric_limits<double>::infinity();

std::vector<double> random_scores(std::mt19937& random, double spread) {
  std::normal_distribution<double> normal(0.0, spread);
  std::vector<double> scores(1 + random() % 12);
  for (double& score : scores) score = random() % 5 == 0 ? no_part : normal(random);
  return scores;
}

TEST(SoftmaxJacobian, IsCentralDifferencesOfSoftmax) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> scores = random_scores(random, 2.0);
    const double sink = random() % 2 == 0 ? no_part : 0.3;
    const SoftmaxRow row = softmax_row(scores, sink);
    const auto n = static_cast<int>(scores.size());
    for (int j = 0; j < n; ++j) {
      double& moved = scores[static_cast<std::size_t>(j)];
      if (moved == no_part) {
        for (int i = 0; i < n; ++i) EXPECT_EQ(jacobian_cell(row, i, j), 0.0);
        continue;
      }
      constexpr double step = 1e-5;
      moved += step;
      const std::vector<double> above = softmax_row(scores, sink).weights;
      moved -= 2.0 * step;
      const std::vector<double> below = softmax_row(scores, sink).weights;
      moved += step;
      double sum = 0.0;
      for (int i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_NEAR(jacobian_cell(row, i, j), (above[at] - below[at]) / (2.0 * step), 1e-9);
        EXPECT_LE(std::fabs(jacobian_cell(row, i, j)), 0.25);
        EXPECT_EQ(jacobian_cell(row, i, j), jacobian_cell(row, j, i));
        sum += jacobian_cell(row, i, j);
      }
      EXPECT_NEAR(sum, row.weights[static_cast<std::size_t>(j)] * row.sink, 1e-15);
    }
  }
}

TEST(SoftmaxJacobian, ItsNormIsThatOfItsCells) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 500; ++trial) {
    const SoftmaxRow row =
        softmax_row(random_scores(random, trial % 2 == 0 ? 1.0 : 20.0), random() % 2 == 0 ? no_part : 1.0);
    long double sum = 0.0L;
    const auto n = static_cast<int>(row.weights.size());
    for (int i = 0; i < n; ++i) {
      const auto p = static_cast<long double>(row.weights[static_cast<std::size_t>(i)]);
      long double left = static_cast<long double>(row.sink);
      for (int j = 0; j < n; ++j) {
        const auto other = static_cast<long double>(row.weights[static_cast<std::size_t>(j)]);
        if (i != j) left += other;
        if (i != j) sum += p * other * p * other;
      }
      sum += p * left * p * left;
    }
    const auto norm = static_cast<double>(std::sqrt(sum));
    EXPECT_NEAR(jacobian_norm(row), norm, 1e-12 * norm);
  }
}

TEST(SoftmaxJacobian, KnowsTheEndsOfItsRange) {
  EXPECT_DOUBLE_EQ(jacobian_norm(softmax_row({2.0, 2.0})), 0.5);
  for (const int n : {1, 3, 10, 1000}) {
    const SoftmaxRow even = softmax_row(std::vector<double>(static_cast<std::size_t>(n), 0.7));
    EXPECT_NEAR(jacobian_norm(even), std::sqrt(n - 1.0) / n, 1e-14);
    EXPECT_NEAR(entropy_of(even), std::log(static_cast<double>(n)), 1e-12);
  }
  const double small = std::exp(-40.0);
  EXPECT_NEAR(jacobian_norm(softmax_row({0.0, -40.0})), 2.0 * small, 1e-12 * small);
  const SoftmaxRow nothing = softmax_row({no_part, no_part});
  EXPECT_EQ(jacobian_norm(nothing), 0.0);
  EXPECT_EQ(max_weight(nothing), 0.0);
  EXPECT_EQ(nothing.sink, 0.0);
  EXPECT_DOUBLE_EQ(softmax_row({no_part}, 3.0).sink, 1.0) << "a sink has what no key can have";
}

TEST(VarianceSums, AreTorchsVariance) {
  VarianceSums sums;
  EXPECT_EQ(sums.variance(), 0.0);
  for (const double number : {1e6 + 1.0, 1e6 + 2.0, 1e6 + 4.0}) sums.add(number);
  EXPECT_NEAR(sums.variance(), 7.0 / 3.0, 1e-9);
}

TEST(RandomProducts, ShowWhatThePaperSays) {
  const std::vector<RandomProducts> widths = random_products(16).finish();
  ASSERT_EQ(widths.size(), 10U);
  EXPECT_EQ(widths.back().width, max_product_width);
  for (const RandomProducts& each : widths)
    EXPECT_NEAR(each.variance, each.width, 0.2 * each.width) << "the variance of q · k is d_head";
  EXPECT_DOUBLE_EQ(widths.front().divided.norm, widths.front().undivided.norm) << "√1 = 1";
  for (std::size_t i = 4; i < widths.size(); ++i) {
    EXPECT_LT(widths[i].undivided.norm, widths[i - 1].undivided.norm);
    EXPECT_GT(widths[i].undivided.greatest, widths[i - 1].undivided.greatest);
    EXPECT_NEAR(widths[i].divided.norm, widths[3].divided.norm, 0.05);
  }
  EXPECT_LT(widths.back().undivided.norm, 0.3 * widths.back().divided.norm);
}

TEST(RandomProducts, IncludeAWidthThatIsNoPowerOfTwo) {
  const std::vector<RandomProducts> widths = random_products(4, 3).finish();
  ASSERT_EQ(widths.size(), 11U);
  EXPECT_EQ(widths[2].width, 3);
  EXPECT_NEAR(widths[2].variance, 3.0, 0.6);
  EXPECT_EQ(widths[3].variance, random_products(4).finish()[2].variance)
      << "the other widths stay as they are";
}

TEST(RandomProducts, OfFewKeysVaryAsManyDo) {
  for (int n = 2; n <= 8; ++n) {
    for (const RandomProducts& each : random_products(n).finish()) {
      // E[(q · k)² (q · k′)²] is d² + 2d, or three times that for k = k′. Each query has the mean over `n`
      // keys.
      const double d = each.width;
      const double of_row = (1.0 + 2.0 / d) * (1.0 + 2.0 / n) - 1.0;
      const double error = d * std::sqrt(of_row / random_rows);
      EXPECT_NEAR(each.variance, d, 5.0 * error) << n << " keys of " << each.width;
    }
  }
}

}  // namespace
}  // namespace headscope
