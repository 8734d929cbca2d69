#include "core/trace/cover.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace headscope {
namespace {

Cover over_weights() {
  Cover cover;
  cover.stage = StageId{};
  return cover;
}

std::set<std::pair<int, int>> covered_in(const Cover& cover, int rows, int cols) {
  std::set<std::pair<int, int>> cells;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      if (cover.covers(row, col)) cells.insert({row, col});
  return cells;
}

TEST(Cover, AddsItsRulesAndLeavesExceptionsOut) {
  Cover cover = over_weights();
  cover.rows = {1};
  cover.columns = {0};
  cover.cells = {{2, 2}};
  cover.except = {{1, 1}};
  const std::set<std::pair<int, int>> expected{{0, 0}, {1, 0}, {1, 2}, {2, 0}, {2, 2}};
  EXPECT_EQ(covered_in(cover, 3, 3), expected);
  cover.stage.reset();
  EXPECT_TRUE(covered_in(cover, 3, 3).empty()) << "without a stage nothing is covered";
}

TEST(Cover, EverySecondCellIsAChessboard) {
  Cover cover = over_weights();
  cover.every = 2;
  EXPECT_EQ(covered_in(cover, 2, 3), (std::set<std::pair<int, int>>{{0, 0}, {0, 2}, {1, 1}}));
  cover.every = 1;
  EXPECT_EQ(covered_in(cover, 2, 3).size(), 6U);
}

TEST(Cover, DrawsItsShareByTheSeed) {
  Cover cover = over_weights();
  cover.share = 0.3F;
  const auto first = covered_in(cover, 100, 100);
  EXPECT_NEAR(static_cast<double>(first.size()), 3000.0, 200.0);
  EXPECT_EQ(covered_in(cover, 100, 100), first);
  cover.seed = 1;
  EXPECT_NE(covered_in(cover, 100, 100), first);
  EXPECT_NEAR(static_cast<double>(covered_in(cover, 100, 100).size()), 3000.0, 200.0);
  cover.share = 1.0F;
  EXPECT_EQ(covered_in(cover, 10, 10).size(), 100U);
}

TEST(Cover, ACellIsCoveredAndUncovered) {
  for (const bool all : {false, true}) {
    Cover cover = over_weights();
    cover.all = all;
    for (int round = 0; round < 2; ++round) {
      cover = with_cell(cover, {1, 2}, false);
      EXPECT_FALSE(cover.covers(1, 2));
      EXPECT_EQ(cover.covers(2, 1), all);
      cover = with_cell(cover, {1, 2}, true);
      EXPECT_TRUE(cover.covers(1, 2));
    }
    EXPECT_TRUE(cover.except.empty());
  }
}

TEST(Cover, WhatWasFoundIsCountedAndShown) {
  Cover cover = over_weights();
  cover.all = true;
  cover.right = {{0, 1}};
  EXPECT_FALSE(cover.hides(0, 1));
  EXPECT_TRUE(cover.hides(1, 0));
  EXPECT_EQ(count_covered(cover, 2, 3), (CoverCount{6, 1}));
  EXPECT_TRUE(cover.hides_in_row(0, 3));
  cover.solution = true;
  EXPECT_FALSE(cover.hides_in_row(0, 3));
  EXPECT_EQ(count_covered(cover, 2000, 2000), std::nullopt);
}

TEST(Answers, AreNumbersAsPeopleWriteThem) {
  for (const auto& [typed, number] :
       std::initializer_list<std::pair<const char*, double>>{{"0.25", 0.25},
                                                             {".25", 0.25},
                                                             {"0,25", 0.25},
                                                             {" 3 ", 3.0},
                                                             {"-1.5", -1.5},
                                                             {"−1.5", -1.5},
                                                             {"+2", 2.0},
                                                             {"1e-3", 1e-3},
                                                             {"1/2", 0.5},
                                                             {"-3 / 4", -0.75}}) {
    ASSERT_TRUE(parse_answer(typed)) << typed;
    EXPECT_DOUBLE_EQ(*parse_answer(typed), number) << typed;
  }
  for (const char* infinite : {"-inf", "−∞", "-∞"})
    EXPECT_EQ(parse_answer(infinite), -std::numeric_limits<double>::infinity()) << infinite;
  for (const char* none : {"", "-", ".", "a", "1a", "nan", "1 2", "--1", "0x10", "1/0", "1/", "/2", "1/2/3"})
    EXPECT_FALSE(parse_answer(none)) << none;
}

TEST(Answers, AreRightToThePrintedDigits) {
  EXPECT_TRUE(is_right_answer(0.12, 0.1234F));
  EXPECT_TRUE(is_right_answer(0.13, 0.1234F)) << "what it is computed from is rounded, too";
  EXPECT_FALSE(is_right_answer(0.14, 0.1234F));
  EXPECT_FALSE(is_right_answer(0.1, 0.1234F));
  EXPECT_TRUE(is_right_answer(-3.4, -3.4499F));
  EXPECT_FALSE(is_right_answer(3.4, -3.4499F));
  EXPECT_TRUE(is_right_answer(0.0, 0.0F));
  EXPECT_FALSE(is_right_answer(0.01, 0.0F)) << "0 is no small weight";
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  EXPECT_TRUE(is_right_answer(-std::numeric_limits<double>::infinity(), hidden));
  EXPECT_FALSE(is_right_answer(-1e9, hidden));
  EXPECT_FALSE(is_right_answer(0.0, std::numeric_limits<float>::quiet_NaN()));
}

TEST(Answers, OfSmallNumbersAreToldFromOthers) {
  EXPECT_TRUE(is_right_answer(0.0042, 0.0042F));
  EXPECT_TRUE(is_right_answer(0.0045, 0.0042F)) << "within 10 %";
  EXPECT_FALSE(is_right_answer(0.0, 0.0042F));
  EXPECT_FALSE(is_right_answer(0.01, 0.0042F));
  EXPECT_FALSE(is_right_answer(-0.0042, 0.0042F));
  EXPECT_TRUE(is_right_answer(0.0, 0.00001F)) << "it is 0 with 4 decimals";
}

/// An answer is right if it is rounded as requested, and wrong if it is off by more than a tenth.
TEST(Answers, AreRightAsRoundedAndWrongBeyondATenth) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponents(-3.9, 4.0);
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<float>((i % 2 == 0 ? 1.0 : -1.0) * std::pow(10.0, exponents(random)));
    const auto exact = static_cast<double>(value);
    // Rounds to two significant digits, but keeps all digits before the point.
    const double unit = std::pow(10.0, std::min(0.0, std::floor(std::log10(std::abs(exact))) - 1.0));
    EXPECT_TRUE(is_right_answer(std::round(exact / unit) * unit, value)) << value;
    EXPECT_FALSE(is_right_answer(0.0, value) && std::abs(value) > 0.00005F) << value;
    constexpr double beyond_a_tenth = 1.101;
    EXPECT_EQ(is_right_answer(beyond_a_tenth * exact, value), 0.101 * std::abs(exact) <= 0.00005) << value;
  }
}

}  // namespace
}  // namespace headscope
