#include <gtest/gtest.h>

#include <cmath>

#include "core/trace/explain.h"
#include "core/trace/summary.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::pass;
using testing::small_request;

StageId beside(StageId id, StageKind kind) {
  id.kind = kind;
  return normalized(id);
}

/// ‖weight · (value · W_O)‖ of one cell, computed in the order of the definition and in double precision.
double length_of(const Trace& trace, const StageId& id, int query, int key) {
  const MatrixView weights = trace.value(weights_in_use(trace, id));
  const MatrixView values = trace.value(beside(id, StageKind::value));
  const MatrixView projection = trace.value(beside(id, StageKind::w_output));
  double square = 0.0;
  for (int d = 0; d < projection.cols; ++d) {
    double sum = 0.0;
    for (int v = 0; v < values.cols; ++v) {
      sum +=
          static_cast<double>(values(key, v)) * static_cast<double>(projection(id.head * values.cols + v, d));
    }
    const double part = static_cast<double>(weights(query, key)) * sum;
    square += part * part;
  }
  return std::sqrt(square);
}

void expect_as_defined(const Trace& trace, const StageId& id) {
  const MatrixView shares = trace.value(id);
  const MatrixView weights = trace.value(weights_in_use(trace, id));
  ASSERT_EQ(shares.rows, weights.rows);
  ASSERT_EQ(shares.cols, weights.cols);
  for (int query = 0; query < shares.rows; ++query) {
    double total = 0.0;
    for (int key = 0; key < shares.cols; ++key) total += length_of(trace, id, query, key);
    double sum = 0.0;
    for (int key = 0; key < shares.cols; ++key) {
      const double expected = total == 0.0 ? 0.0 : length_of(trace, id, query, key) / total;
      EXPECT_NEAR(static_cast<double>(shares(query, key)), expected, 1e-6)
          << path(id) << query << ", " << key;
      sum += static_cast<double>(shares(query, key));
    }
    EXPECT_NEAR(sum, total == 0.0 ? 0.0 : 1.0, 1e-5) << path(id) << " row " << query;
  }
}

TEST(EffectiveWeights, are_the_shares_of_the_lengths_in_passes_of_any_shape) {
  std::mt19937 random(2020);
  int n_met = 0;
  for (int round = 0; round < 80; ++round) {
    const auto trace = pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    SCOPED_TRACE("round " + std::to_string(round));
    for (const StageId& id : trace->stages()) {
      if (id.kind != StageKind::effective_weights) continue;
      expect_as_defined(*trace, id);
      ++n_met;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(n_met, 100);
}

TEST(EffectiveWeights, of_a_query_that_sees_nothing_are_0) {
  Request request = small_request();
  for (int key = 0; key < 11; ++key) request.attention.mask.painted.push_back({3, key});
  const auto trace = pass(request);
  const StageId id{.kind = StageKind::effective_weights, .head = 1};
  for (const float share : trace->value(id).row(3)) EXPECT_EQ(share, 0.0F);
  const auto explained = explain(*trace, id, 3, 5);
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->value, 0.0);
  EXPECT_NE(explained->steps.back().note.find("no key has any weight"), std::string::npos);
}

TEST(EffectiveWeights, are_of_the_weights_that_dropout_leaves) {
  Request request = small_request();
  request.attention.train = true;
  request.attention.dropout = 0.5F;
  const auto trace = pass(request);
  const StageId id{.kind = StageKind::effective_weights};
  const MatrixView dropped = trace->value({.kind = StageKind::dropped});
  int n_dropped = 0;
  for (int row = 0; row < dropped.rows; ++row) {
    for (int col = 0; col < dropped.cols; ++col) {
      if (dropped(row, col) != 0.0F) continue;
      EXPECT_EQ(trace->value(id)(row, col), 0.0F);
      ++n_dropped;
    }
  }
  EXPECT_GT(n_dropped, 20);
  EXPECT_EQ(formula(*trace, id), "A′ ‖V W_O[0]‖ / Σ over keys");
}

TEST(EffectiveWeights, need_an_output_projection) {
  Request request = small_request();
  request.architecture.output_projection = false;
  const auto trace = pass(request);
  const StageId id{.kind = StageKind::effective_weights};
  EXPECT_EQ(trace->why_absent(id), "the output projection is off");
  const auto explained = explain(*trace, id, 0, 0);
  ASSERT_FALSE(explained);
  EXPECT_NE(explained.error().message.find("the output projection is off"), std::string::npos);
}

TEST(EffectiveWeights, are_compared_with_those_of_another_pass) {
  Request request = small_request();
  const auto before = pass(request);
  request.attention.mask.causal = true;
  const auto now = pass(request);
  const StageId id{.kind = StageKind::effective_weights, .head = 2};
  const auto changed = testing::difference(*now, *before, id);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->at(0, 0), now->value(id)(0, 0) - before->value(id)(0, 0));
  EXPECT_GT(changed->at(0, 0), 0.0F);
}

}  // namespace
}  // namespace headscope
