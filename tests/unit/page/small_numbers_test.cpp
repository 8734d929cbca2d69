#include "core/page/parts/small_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace headscope {
namespace {

TEST(SmallNumbers, AreWorthAPencilForEverySeed) {
  std::set<float> first_digits;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const Eigen::Index side = seed % 2 == 0 ? 2 : 3;
    const Matrix none = Matrix::Zero(side, side);
    SmallNumbers drawn{none, none, none, none};
    std::mt19937 generator(seed);
    draw_small_numbers(drawn, generator);
    const Matrix query = drawn.input * drawn.w_query;
    const Matrix key = drawn.input * drawn.w_key;
    const Matrix value = drawn.input * drawn.w_value;
    first_digits.insert(drawn.input(0, 0));
    for (Eigen::Index row = 0; row < side; ++row) {
      EXPECT_GT(value.col(row).cwiseAbs().maxCoeff(), 0.0F) << "seed " << seed;
      double sum = 0.0, most = 0.0;
      for (Eigen::Index col = 0; col < side; ++col) {
        const double score = static_cast<double>(query.row(row).dot(key.row(col))) / std::sqrt(side);
        EXPECT_LE(std::fabs(score), 3.0 + 1e-6) << "seed " << seed;
        sum += std::exp(score);
        most = std::max(most, std::exp(score));
      }
      EXPECT_LT(most / sum, 0.951) << "seed " << seed;
      EXPECT_GT(most / sum, 1.0 / static_cast<double>(side) + 0.01) << "seed " << seed;
    }
  }
  EXPECT_EQ(first_digits, (std::set<float>{-2, -1, 0, 1, 2, 3}));
}

TEST(SmallNumbers, ThoseThatNeedNoPencilAreFound) {
  const Matrix identity = Matrix::Identity(2, 2);
  SmallNumbers numbers{identity, identity, identity, identity};
  EXPECT_TRUE(are_worth_computing(numbers));
  numbers.w_value.col(1).setZero();
  EXPECT_FALSE(are_worth_computing(numbers)) << "a value of every token is 0";
  numbers.w_value = identity;
  numbers.w_key *= 5.0F;
  EXPECT_FALSE(are_worth_computing(numbers)) << "a score is beyond 3";
  numbers.w_key.setZero();
  EXPECT_FALSE(are_worth_computing(numbers)) << "all weights are equal";
}

}  // namespace
}  // namespace headscope
