// Properties that hold for every pass, tested with random sizes, options and masks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/engine/passes.h"

namespace headscope {
namespace {

class Invariants : public testing::TestWithParam<int> {
 protected:
  Engine engine{1};
  Request request = random_request(static_cast<std::uint64_t>(GetParam()));
};

TEST_P(Invariants, RowsSumToOneOverWhatIsVisibleAndHiddenIsZero) {
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const int n = trace->n_tokens();
  for (int head = 0; head < request.architecture.n_heads; ++head) {
    const MatrixView weights = stage(*trace, StageKind::weights, head);
    const MatrixView masked = stage(*trace, StageKind::masked, head);
    for (int query = 0; query < n; ++query) {
      double sum = 0.0;
      bool any_visible = false;
      for (int key = 0; key < n; ++key) {
        const bool visible = trace->mask({StageKind::weights}).is_visible(head, query, key);
        any_visible = any_visible || visible;
        ASSERT_GE(weights(query, key), 0.0F);
        if (!visible) {
          ASSERT_EQ(weights(query, key), 0.0F);
          ASSERT_EQ(masked(query, key), -std::numeric_limits<float>::infinity());
        }
        sum += weights(query, key);
      }
      ASSERT_NEAR(sum, any_visible ? 1.0 : 0.0, 1e-5);
    }
  }
}

TEST_P(Invariants, EveryStageIsFiniteButHiddenScores) {
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  for (const StageId& id : trace->stages()) {
    const MatrixView values = trace->value(id);
    ASSERT_FALSE(values.empty()) << path(id);
    if (id.kind == StageKind::masked) continue;
    for (const float value : numbers(values)) ASSERT_TRUE(std::isfinite(value)) << path(id);
  }
}

TEST_P(Invariants, UnderMinusOneBillionHiddenRowsAreUniform) {
  request.attention.mask_value = MaskValue::minus_1e9;
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const int n = trace->n_tokens();
  const MatrixView weights = stage(*trace, StageKind::weights);
  for (int query = 0; query < n; ++query) {
    bool any_visible = false;
    for (int key = 0; key < n; ++key)
      any_visible = any_visible || trace->mask({StageKind::weights}).is_visible(0, query, key);
    for (int key = 0; key < n && !any_visible; ++key) ASSERT_NEAR(weights(query, key), 1.0 / n, 1e-6);
  }
}

TEST_P(Invariants, OverQueriesColumnsSumToOne) {
  request.attention.softmax = SoftmaxAxis::queries;
  request.attention.mask = {};
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const MatrixView weights = stage(*trace, StageKind::weights);
  for (int key = 0; key < weights.cols; ++key) {
    double sum = 0.0;
    for (int query = 0; query < weights.rows; ++query) sum += weights(query, key);
    ASSERT_NEAR(sum, 1.0, 1e-5);
  }
}

TEST_P(Invariants, CausalMeansThatALaterTokenChangesNoEarlierRow) {
  request.attention.mask.causal = true;
  const SharedTrace shorter = computed(engine, request);
  request.sentence += " more words";
  const SharedTrace longer = computed(engine, request);
  ASSERT_TRUE(shorter && longer);
  for (const StageKind kind : {StageKind::weights, StageKind::output, StageKind::projected}) {
    const MatrixView a = stage(*shorter, kind);
    const MatrixView b = stage(*longer, kind);
    for (int row = 0; row < a.rows; ++row) {
      for (int col = 0; col < a.cols; ++col) ASSERT_NEAR(a(row, col), b(row, col), 2e-4) << info(kind).name;
    }
  }
}

TEST_P(Invariants, PermutingTokensWithoutPositionsPermutesTheOutputs) {
  request.architecture.positions = Positions::none;
  request.attention.mask = {};
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  RandomStream random(static_cast<std::uint64_t>(GetParam()), "permutation");
  std::vector<int> order(static_cast<std::size_t>(trace->n_tokens()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.bits() % i]);
  request.sentence.clear();
  for (const int i : order) request.sentence += trace->tokens()[static_cast<std::size_t>(i)].text + " ";
  const SharedTrace permuted = computed(engine, request);
  ASSERT_TRUE(permuted);
  const MatrixView before = stage(*trace, StageKind::projected);
  const MatrixView after = stage(*permuted, StageKind::projected);
  float greatest = 1.0F;
  for (const float value : numbers(before)) greatest = std::max(greatest, std::abs(value));
  for (int row = 0; row < after.rows; ++row) {
    for (int col = 0; col < after.cols; ++col) {
      ASSERT_NEAR(after(row, col), before(order[static_cast<std::size_t>(row)], col), 2e-3F * greatest);
    }
  }
}

TEST_P(Invariants, ContributionsAndTheBiasSumToProjected) {
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const MatrixView projected = stage(*trace, StageKind::projected);
  if (!request.architecture.output_projection) {
    EXPECT_EQ(numbers(projected), numbers(stage(*trace, StageKind::concat)));
    EXPECT_TRUE(stage(*trace, StageKind::contribution).empty());
    return;
  }
  const MatrixView bias = stage(*trace, StageKind::b_output);
  for (int row = 0; row < projected.rows; ++row) {
    for (int col = 0; col < projected.cols; ++col) {
      double sum = bias.empty() ? 0.0 : bias(0, col);
      double magnitude = 1.0;
      for (int head = 0; head < request.architecture.n_heads; ++head) {
        const float part = stage(*trace, StageKind::contribution, head)(row, col);
        sum += part;
        magnitude += std::abs(part);
      }
      ASSERT_NEAR(projected(row, col), sum, 2e-5 * magnitude);
    }
  }
}

TEST_P(Invariants, ConcatIsTheOutputsSideBySide) {
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const MatrixView concat = stage(*trace, StageKind::concat);
  const int width = request.architecture.value_width(no_layer);
  ASSERT_EQ(concat.cols, width * request.architecture.n_heads);
  for (int row = 0; row < concat.rows; ++row) {
    for (int col = 0; col < concat.cols; ++col) {
      ASSERT_EQ(concat(row, col), stage(*trace, StageKind::output, col / width)(row, col % width));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Invariants, testing::Range(0, 25));

}  // namespace
}  // namespace headscope
