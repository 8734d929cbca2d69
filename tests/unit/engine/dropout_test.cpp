#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

Request training(std::uint64_t seed, float p) {
  Request request = random_transformer(seed, Stacks::encoder_decoder);
  request.attention.train = true;
  request.attention.dropout = p;
  request.attention.dropout_seed = seed;
  return request;
}

class DropoutShare : public testing::TestWithParam<float> {};

TEST_P(DropoutShare, RemovesAboutPAndDividesTheRest) {
  const float p = GetParam();
  Engine engine(1);
  Request request = training(3, p);
  request.sentence = words(60);
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  int n_cells = 0;
  int n_removed = 0;
  for (StageId id : stages_of_kind(*trace, StageKind::dropped)) {
    const auto dropped = numbers(trace->value(id));
    id.kind = StageKind::weights;
    const auto weights = numbers(trace->value(id));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0.0F) continue;
      ++n_cells;
      if (dropped[i] == 0.0F) {
        ++n_removed;
      } else {
        ASSERT_FLOAT_EQ(dropped[i], weights[i] / (1.0F - p)) << path(id);
      }
    }
  }
  ASSERT_GT(n_cells, 3000);
  const auto share = static_cast<double>(p);
  const double five_sigma = 5.0 * std::sqrt(share * (1.0 - share) / n_cells);
  EXPECT_NEAR(static_cast<double>(n_removed) / n_cells, share, five_sigma);
}

INSTANTIATE_TEST_SUITE_P(Shares, DropoutShare, testing::Values(0.05F, 0.1F, 0.5F, 0.95F));

TEST(Dropout, OutsideTrainingOrWithoutAShareThereIsNone) {
  Engine engine(1);
  Request request = training(1, 0.5F);
  request.attention.train = false;
  EXPECT_TRUE(stages_of_kind(*computed(engine, request), StageKind::dropped).empty());
  request.attention.train = true;
  request.attention.dropout = 0.0F;
  EXPECT_TRUE(stages_of_kind(*computed(engine, request), StageKind::dropped).empty());
  request.attention.dropout = 0.1F;
  EXPECT_FALSE(stages_of_kind(*computed(engine, request), StageKind::dropped).empty());
}

TEST(Dropout, TheOutputUsesWhatIsLeft) {
  Engine engine(1);
  const SharedTrace trace = computed(engine, training(2, 0.5F));
  ASSERT_TRUE(trace);
  for (const StageId& id : stages_of_kind(*trace, StageKind::output)) {
    EXPECT_EQ(inputs_of(*trace, id).front().kind, StageKind::dropped);
    const MatrixView left = trace->value(inputs_of(*trace, id).front());
    const MatrixView values = trace->value(inputs_of(*trace, id).back());
    const MatrixView output = trace->value(id);
    double sum = 0.0;
    double magnitude = 1.0;
    for (int key = 0; key < left.cols; ++key) {
      const double term = static_cast<double>(left(1, key)) * static_cast<double>(values(key, 0));
      sum += term;
      magnitude += std::abs(term);
    }
    EXPECT_NEAR(output(1, 0), sum, 1e-5 * magnitude);
  }
}

TEST(Dropout, ASeedRemovesTheSameAnotherSeedOthers) {
  Engine engine(1);
  Engine threaded(3);
  Request request = training(4, 0.3F);
  const auto removed = [](const SharedTrace& trace) {
    std::vector<float> all;
    for (const StageId& id : stages_of_kind(*trace, StageKind::dropped)) {
      const auto part = numbers(trace->value(id));
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
  const auto first = removed(computed(engine, request));
  EXPECT_EQ(first, removed(computed(engine, request)));
  EXPECT_EQ(first, removed(computed(threaded, request)));
  ++request.attention.dropout_seed;
  EXPECT_NE(first, removed(computed(engine, request)));
}

/// Dropout must remove different cells in each layer and attention of a pass.
TEST(Dropout, EveryAttentionAndHeadLosesItsOwn) {
  constexpr int n_keys = 64;
  AttentionOptions options;
  options.train = true;
  options.dropout = 0.5F;
  std::vector<std::vector<float>> rows;
  const auto add = [&](Stack stack, int layer, AttentionKind kind, int head, int query) {
    rows.emplace_back(n_keys);
    dropout_of(options, stack, layer, kind).factors(head, query, rows.back());
  };
  add(Stack::encoder, 0, AttentionKind::self, 0, 0);
  add(Stack::encoder, 0, AttentionKind::self, 0, 1);
  add(Stack::encoder, 0, AttentionKind::self, 1, 0);
  add(Stack::encoder, 1, AttentionKind::self, 0, 0);
  add(Stack::decoder, 0, AttentionKind::self, 0, 0);
  add(Stack::decoder, 0, AttentionKind::cross, 0, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(rows[i], rows[j]) << i << ", " << j;
  }
}

}  // namespace
}  // namespace headscope
