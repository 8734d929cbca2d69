#include "core/trace/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

OwnedMatrix matrix(int rows, int cols, std::vector<float> values) {
  OwnedMatrix result(rows, cols);
  result.values = std::move(values);
  return result;
}

TEST(Statistics, are_those_of_the_finite_cells) {
  const auto numbers = matrix(2, 3, {1, 2, minus_infinity, 3, 4, std::nanf("")});
  const Statistics s = statistics(*source_of(numbers.view()));
  EXPECT_EQ(s.count, 4);
  EXPECT_EQ(s.hidden, 1);
  EXPECT_DOUBLE_EQ(s.mean, 2.5);
  EXPECT_DOUBLE_EQ(s.variance, 1.25);
  EXPECT_EQ(s.minimum, 1.0);
  EXPECT_EQ(s.maximum, 4.0);
}

TEST(Statistics, of_nothing_are_zero) {
  EXPECT_EQ(statistics(*source_of(MatrixView{})).count, 0);
  const Statistics s = statistics(*source_of(matrix(1, 2, {minus_infinity, minus_infinity})));
  EXPECT_EQ(s.count, 0);
  EXPECT_EQ(s.hidden, 2);
  EXPECT_EQ(s.variance, 0.0);
}

TEST(Statistics, variances_of_raw_and_scaled_scores_have_the_ratio_of_the_divisor_squared) {
  for (const int d_head : {1, 8, 13, 64}) {
    for (const float temperature : {1.0F, 0.5F, 3.0F}) {
      Request request = testing::small_request();
      request.architecture.d_head = d_head;
      request.attention.temperature = temperature;
      const auto trace = testing::pass(request);
      const double raw = statistics(*stage_source(*trace, {.kind = StageKind::raw, .head = 1})).variance;
      const double scaled =
          statistics(*stage_source(*trace, {.kind = StageKind::scaled, .head = 1})).variance;
      const double expected = d_head * static_cast<double>(temperature) * static_cast<double>(temperature);
      EXPECT_NEAR(raw / scaled / expected, 1.0, 1e-4) << "d_head " << d_head << ", τ " << temperature;
    }
  }
}

TEST(Histogram, counts_every_finite_cell_once) {
  const auto numbers = matrix(1, 6, {0, 0.9F, 1, 2.1F, 4, minus_infinity});
  const Histogram h = histogram(*source_of(numbers.view()), 4);
  EXPECT_EQ(h.low, 0.0);
  EXPECT_EQ(h.high, 4.0);
  EXPECT_EQ(h.counts, (std::vector<int>{2, 1, 1, 1}));
}

TEST(Histogram, has_a_place_for_equal_numbers_and_none_for_no_bins) {
  const auto numbers = matrix(1, 3, {2, 2, 2});
  EXPECT_EQ(histogram(*source_of(numbers.view()), 2).counts, (std::vector<int>{3, 0}));
  EXPECT_TRUE(histogram(*source_of(numbers.view()), 0).counts.empty());
  EXPECT_EQ(histogram(*source_of(MatrixView{}), 2).counts, (std::vector<int>{0, 0}));
}

TEST(RankedKeys, are_sorted_by_weight_and_then_by_position) {
  const auto weights = matrix(2, 4, {0, 0, 0, 1, 0.2F, 0.4F, 0.2F, 0.2F});
  std::vector<int> keys;
  for (const RankedKey& ranked : ranked_keys(weights.view(), 1)) keys.push_back(ranked.key);
  EXPECT_EQ(keys, (std::vector<int>{1, 0, 2, 3}));
  EXPECT_FLOAT_EQ(ranked_keys(weights.view(), 1).front().weight, 0.4F);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto undefined = matrix(1, 4, {nan, 0.2F, nan, 0.5F});
  keys.clear();
  for (const RankedKey& ranked : ranked_keys(undefined.view(), 0)) keys.push_back(ranked.key);
  EXPECT_EQ(keys, (std::vector<int>{3, 1, 0, 2})) << "NaN comes last";
  EXPECT_TRUE(std::isnan(entropy(undefined.view(), 0)));
  EXPECT_TRUE(ranked_keys(weights.view(), 2).empty());
  EXPECT_TRUE(ranked_keys(weights.view(), -1).empty());
}

TEST(Entropy, is_the_logarithm_of_the_count_when_uniform_and_zero_when_certain) {
  const auto weights = matrix(3, 4, {0.25F, 0.25F, 0.25F, 0.25F, 0, 1, 0, 0, 0, 0, 0, 0});
  EXPECT_NEAR(entropy(weights.view(), 0), std::log(4.0), 1e-9);
  EXPECT_EQ(entropy(weights.view(), 1), 0.0);
  EXPECT_EQ(entropy(weights.view(), 2), 0.0);
  EXPECT_EQ(entropy(weights.view(), 3), 0.0);
}

TEST(Difference, of_a_trace_with_itself_is_zero) {
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    const auto trace = testing::pass(testing::random_request(random));
    for (const StageId& id : trace->stages()) {
      const auto delta = testing::difference(*trace, *trace, id);
      ASSERT_TRUE(delta) << delta.error().message;
      const MatrixView view = trace->value(id);
      for (int r = 0; r < view.rows; ++r) {
        for (int c = 0; c < view.cols; ++c) {
          if (std::isinf(view(r, c))) {
            EXPECT_TRUE(std::isnan(delta->at(r, c)));
          } else if (!std::isnan(delta->at(r, c))) {
            EXPECT_EQ(delta->at(r, c), 0.0F);
          }
        }
      }
    }
  }
}

TEST(Difference, shows_that_a_causal_mask_changes_only_the_rows_that_lost_keys) {
  Request request = testing::small_request();
  const auto before = testing::pass(request);
  request.attention.mask.causal = true;
  const auto now = testing::pass(request);
  const auto delta = testing::difference(*now, *before, {.kind = StageKind::weights, .head = 2});
  ASSERT_TRUE(delta);
  const int last = now->n_tokens() - 1;
  for (int key = 0; key <= last; ++key) EXPECT_EQ(delta->at(last, key), 0.0F);
  for (int query = 0; query < last; ++query) {
    for (int key = 0; key <= last; ++key) {
      if (key <= query) {
        EXPECT_GT(delta->at(query, key), 0.0F);
      } else {
        EXPECT_LT(delta->at(query, key), 0.0F);
      }
    }
  }
  const auto raw = testing::difference(*now, *before, {.kind = StageKind::raw, .head = 2});
  for (const float value : raw->values) EXPECT_EQ(value, 0.0F);
}

TEST(Difference, has_no_number_where_both_masks_hide_a_cell) {
  Request request = testing::small_request();
  request.attention.mask.causal = true;
  const auto causal = testing::pass(request);
  ++request.architecture.seed;
  const auto other = testing::pass(request);
  request.attention.mask.causal = false;
  const auto unmasked = testing::pass(request);
  const StageId weights{.kind = StageKind::weights, .head = 2};
  const auto both = testing::difference(*other, *causal, weights);
  const auto only_in_a = testing::difference(*unmasked, *causal, weights);
  ASSERT_TRUE(both);
  ASSERT_TRUE(only_in_a);
  const int last = other->n_tokens() - 1;
  for (int query = 0; query < last; ++query) {
    EXPECT_FALSE(std::isnan(both->at(query, query)));
    EXPECT_TRUE(std::isnan(both->at(query, query + 1)));
    EXPECT_EQ(only_in_a->at(query, query + 1), unmasked->number(weights, query, query + 1));
  }
}

TEST(Difference, follows_tokens_past_an_inserted_word) {
  Request request = testing::small_request();
  request.architecture.positions = Positions::none;
  const auto before = testing::pass(request);
  request.sentence = "The big animal didn't cross the street because it was too tired";
  const auto now = testing::pass(request);
  constexpr int inserted = 1;
  const auto raw = testing::difference(*now, *before, {.kind = StageKind::raw});
  ASSERT_TRUE(raw);
  ASSERT_EQ(raw->rows, 12);
  for (int r = 0; r < raw->rows; ++r) {
    for (int c = 0; c < raw->cols; ++c) {
      const bool is_new = r == inserted || c == inserted;
      EXPECT_EQ(std::isnan(raw->at(r, c)), is_new) << r << ", " << c;
      if (!is_new) {
        EXPECT_NEAR(raw->at(r, c), 0.0F, 1e-5F);
      }
    }
  }
  const auto query = testing::difference(*now, *before, {.kind = StageKind::query});
  ASSERT_TRUE(query);
  for (int r = 0; r < query->rows; ++r) EXPECT_EQ(std::isnan(query->at(r, 0)), r == inserted);
}

TEST(Difference, names_what_differs) {
  Request request = testing::small_request();
  const auto before = testing::pass(request);
  request.architecture.d_head = 16;
  const auto now = testing::pass(request);
  const auto query = testing::difference(*now, *before, {.kind = StageKind::query});
  ASSERT_FALSE(query);
  EXPECT_NE(query.error().message.find("d_head is 8 in A, but 16 in B"), std::string::npos);
  EXPECT_TRUE(testing::difference(*now, *before, {.kind = StageKind::weights}));

  request.architecture.n_heads = 2;
  const auto fewer = testing::pass(request);
  EXPECT_NE(
      testing::difference(*fewer, *before, {.kind = StageKind::raw, .head = 3}).error().message.find("in B"),
      std::string::npos);
  EXPECT_NE(
      testing::difference(*before, *fewer, {.kind = StageKind::raw, .head = 3}).error().message.find("in A"),
      std::string::npos);
}

TEST(Statistics, BothVariancesAreThoseOfTheirDefinitions) {
  OwnedMatrix values(1, 4);
  for (int i = 0; i < 4; ++i)
    values.at(0, i) = static_cast<float>(i * i);  // mean 3.5, squares 12.25 6.25 0.25 30.25
  const Statistics found = statistics(*source_of(values.view()));
  EXPECT_DOUBLE_EQ(found.variance, 49.0 / 4.0);
  EXPECT_DOUBLE_EQ(found.sample_variance(), 49.0 / 3.0);
  EXPECT_EQ(statistics(*source_of(MatrixView{})).sample_variance(), 0.0);
}

TEST(PositionMark, TellsEqualWordsApartAndLeavesOthersAlone) {
  const auto tokens = tokenize("The cat saw the cat", TokenizerKind::word);
  EXPECT_EQ(position_mark(tokens, 1), " (1)");
  EXPECT_EQ(position_mark(tokens, 4), " (4)");
  EXPECT_EQ(position_mark(tokens, 2), "");
  EXPECT_EQ(position_mark(tokens, 0), "") << "“The” is not written as “the” is";
}

}  // namespace
}  // namespace headscope
