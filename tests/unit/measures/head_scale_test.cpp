#include "core/measures/head_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::pass;
using testing::random_request;
using testing::small_request;

/// All stages of raw scores.
std::vector<StageId> maps_of(const Trace& trace) {
  std::vector<StageId> maps;
  for (const StageId& id : trace.stages()) {
    if (id.kind == StageKind::raw) maps.push_back(id);
  }
  return maps;
}

TEST(HeadScale, TheTellingQueryIsTheOneInWhichTheDivisionMattersMost) {
  std::mt19937 random(29);
  int n_telling = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Request request = random_request(random);
    if (request.architecture.linear_attention) continue;
    request.attention.softmax = SoftmaxAxis::keys;
    const auto trace = pass(request);
    for (const StageId& raw : maps_of(*trace)) {
      const ScoreFactors factors = score_factors(*trace, raw);
      const int n = trace->extent(raw).rows;
      const auto divided = softmax_rows(*trace, raw, 0, n, factors.divided);
      const auto undivided = softmax_rows(*trace, raw, 0, n, factors.undivided);
      double most = 0.0;
      for (std::size_t row = 0; row < divided.size(); ++row)
        most = std::max(most, max_weight(undivided[row]) - max_weight(divided[row]));
      for (int shown = 0; shown < n; ++shown) {
        const auto row = static_cast<std::size_t>(shown);
        const double own = max_weight(undivided[row]) - max_weight(divided[row]);
        const std::optional<ScaleGain> found = most_affected_query(*trace, raw, shown);
        const bool is_expected = !factors.has_own_scale && own < 0.05 && most >= 0.1;
        ASSERT_EQ(found.has_value(), is_expected) << own << " of " << most;
        if (!found) continue;
        EXPECT_EQ(found->undivided - found->divided, most);
        ++n_telling;
      }
    }
  }
  EXPECT_GT(n_telling, 0);
}

TEST(HeadScale, TheRowsOfThePassAreItsWeights) {
  std::mt19937 random(17);
  int n_compared = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Request request = random_request(random);
    if (request.architecture.linear_attention) continue;  // it has no softmax
    request.attention.softmax = SoftmaxAxis::keys;
    const auto trace = pass(request);
    for (const StageId& raw : maps_of(*trace)) {
      StageId weights = raw;
      weights.kind = StageKind::weights;
      const ScoreFactors factors = score_factors(*trace, raw);
      const Extent extent = trace->extent(raw);
      const auto rows =
          softmax_rows(*trace, raw, 0, extent.rows, factors.is_divided ? factors.divided : factors.undivided);
      const MatrixView stored = trace->value(weights);
      for (int i = 0; i < extent.rows; ++i) {
        const SoftmaxRow& row = rows[static_cast<std::size_t>(i)];
        for (int j = 0; j < extent.cols; ++j) {
          const double weight = row.weights[static_cast<std::size_t>(j)];
          // Scores are rounded to float, so weights may differ by this much if their scores are large.
          const double score = std::fabs(row.scores[static_cast<std::size_t>(j)]);
          const double tolerance = 2e-5 + (std::isfinite(score) && score < 1e8 ? 1e-6 * score : 0.0);
          ASSERT_NEAR(weight, static_cast<double>(stored(i, j)), tolerance) << path(weights);
        }
      }
      ++n_compared;
    }
  }
  EXPECT_GT(n_compared, 60);
}

TEST(HeadScale, FactorsAreWithAndWithoutTheRoot) {
  Request request = small_request();
  request.architecture.d_head = 9;
  request.attention.temperature = 2.0F;
  const auto trace = pass(request);
  const StageId raw{.kind = StageKind::raw};
  const ScoreFactors factors = score_factors(*trace, raw);
  EXPECT_EQ(factors.width, 9);
  EXPECT_DOUBLE_EQ(factors.divided, 1.0 / 6.0);
  EXPECT_DOUBLE_EQ(factors.undivided, 0.5);
  EXPECT_TRUE(factors.is_divided);
  request.architecture.score_scale = 0.25F;
  request.attention.scale = false;
  const ScoreFactors own = score_factors(*pass(request), raw);
  EXPECT_DOUBLE_EQ(own.divided, 0.125);
  EXPECT_FALSE(own.is_divided);
}

TEST(HeadScale, MeasuresWhatTheMaskShows) {
  Request request = small_request();
  request.attention.mask.causal = true;
  const auto trace = pass(request);
  const StageId raw{.kind = StageKind::raw};
  const HeadScale found = head_scale(*trace, raw, 1000);
  const MatrixView scores = trace->value(raw);
  EXPECT_EQ(found.n_rows, scores.rows - 1) << "the first query sees itself alone";
  const ScoreFactors factors = score_factors(*trace, raw);
  double sum = 0.0;
  double norms = 0.0;
  int n = 0;
  for (int i = 0; i < scores.rows; ++i) {
    for (int j = 0; j <= i; ++j, ++n) sum += static_cast<double>(scores(i, j));
    if (i > 0) norms += jacobian_norm(softmax_rows(*trace, raw, i, 1, factors.undivided).front());
  }
  double squares = 0.0;
  for (int i = 0; i < scores.rows; ++i) {
    for (int j = 0; j <= i; ++j) squares += std::pow(static_cast<double>(scores(i, j)) - sum / n, 2.0);
  }
  EXPECT_NEAR(found.raw_variance, squares / (n - 1), 1e-9 * squares);
  EXPECT_NEAR(found.undivided.norm, norms / (scores.rows - 1), 1e-12);
  EXPECT_NEAR(found.expected_variance(2), 2.0 * found.query_variance * found.key_variance, 1e-12);
  EXPECT_LE(head_scale(*trace, raw, 3).n_rows, 3);
}

}  // namespace
}  // namespace headscope
