// Batches: sentences that are padded to one length.
#include <gtest/gtest.h>

#include <cmath>

#include "core/trace/explain.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

/// A batch in which the traced sentence is not the longest.
Request batch_of(Request request) {
  request.batch = {request.sentence, request.sentence + words(7) + " end", "short"};
  request.sequence = 0;
  return request;
}

/// The number of rows or columns of a stage without the batch's padding.
int shorter(int size, int size_in_batch, bool over_tokens) {
  return over_tokens ? std::min(size, size_in_batch) : size;
}

float greatest(const MatrixView& view) {
  float most = 1.0F;
  for (const float x : numbers(view)) {
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  }
  return most;
}

/// Sums over keys include the padding as zeros and are therefore rounded differently. Everything before the
/// first such sum is equal to the last bit.
float tolerance_of(const StageId& id, const MatrixView& view) {
  const bool comes_first =
      id.layer == 0 && id.attention == AttentionKind::self && id.kind < StageKind::weights;
  return comes_first ? 0.0F : 5e-5F * greatest(view);
}

void expect_the_same_rows(const Trace& alone, const Trace& padded) {
  for (const StageId& id : alone.stages()) {
    if (info(id.kind).is_parameter() || info(id.kind).scope == StageScope::model) continue;
    const MatrixView a = alone.value(id);
    const MatrixView b = padded.value(id);
    const int rows = shorter(a.rows, b.rows, is_token_axis(info(id.kind).rows));
    const int cols = shorter(a.cols, b.cols, is_token_axis(info(id.kind).cols));
    const float tolerance = tolerance_of(id, a);
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col) {
        if (a(row, col) == b(row, col)) continue;  // This covers −∞ as well.
        ASSERT_NEAR(a(row, col), b(row, col), tolerance) << path(id) << " " << row << ", " << col;
      }
    }
  }
}

/// A batch has more words to choose from than one of its sentences. Each word of the sentence must have the
/// same logit in both.
void expect_the_same_logits(const Trace& alone, const Trace& padded) {
  const StageId id{.kind = StageKind::logits};
  const MatrixView a = alone.value(id);
  const MatrixView b = padded.value(id);
  for (int word = 0; word < a.cols; ++word) {
    const auto& words = padded.vocabulary();
    const auto found = std::ranges::find(words, alone.vocabulary()[static_cast<std::size_t>(word)]);
    ASSERT_NE(found, words.end());
    const auto col = static_cast<int>(found - words.begin());
    for (int row = 0; row < a.rows; ++row) ASSERT_NEAR(a(row, word), b(row, col), 5e-5F * greatest(a));
  }
}

class Batch : public testing::TestWithParam<int> {};

TEST_P(Batch, APaddedSequenceHasTheRowsThatItHasAlone) {
  Engine engine(1);
  for (const Stacks stacks : {Stacks::encoder, Stacks::decoder, Stacks::encoder_decoder}) {
    Request request = random_transformer(static_cast<std::uint64_t>(GetParam()), stacks);
    request.architecture.positions = Positions::sinusoidal;
    // Without norms, scores grow from layer to layer, and softmax magnifies rounding errors.
    if (request.architecture.norm == Norm::none) request.architecture.norm = Norm::both;
    if (!request.architecture.norms_allow_parallel()) request.architecture.block = Block::sequential;
    const SharedTrace alone = computed(engine, request);
    const SharedTrace padded = computed(engine, batch_of(request));
    ASSERT_TRUE(alone && padded);
    EXPECT_EQ(padded->batch().n_sequences, 3);
    EXPECT_EQ(padded->n_tokens(), alone->n_tokens() + padded->batch().n_padded);
    EXPECT_GT(padded->batch().n_padded, 0);
    EXPECT_EQ(padded->tokens().back().text, "[pad]");
    expect_the_same_rows(*alone, *padded);
    expect_the_same_logits(*alone, *padded);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Batch, testing::Range(0, 12));

TEST(Batch, EverySequenceIsPaddedToTheLongest) {
  Engine engine(1);
  Request request = request_for("", 16, 2);
  request.batch = {"one", "one two three", "one two"};
  for (request.sequence = 0; request.sequence < 3; ++request.sequence) {
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->n_tokens(), 3);
    EXPECT_EQ(trace->batch().sequence, request.sequence);
    EXPECT_EQ(full_shape_text(*trace, {StageKind::weights}), "[3, 2, 3, 3]");
    EXPECT_EQ(full_shape_text(*trace, {StageKind::w_query}), "[2, 16, 8]");
  }
}

TEST(Batch, EverySequenceHasTheSameWordsToChooseFromAndPaddingIsNone) {
  Engine engine(1);
  Request request = request_for("", 16, 2);
  request.architecture.output_layer = OutputLayer::tied;
  request.batch = {"one", "one two three"};
  for (request.sequence = 0; request.sequence < 2; ++request.sequence) {
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->vocabulary(), (std::vector<std::string>{"one", "two", "three"}));
  }
}

TEST(Batch, PaddingIsHiddenAsAKeyAndSaysSo) {
  Engine engine(1);
  Request request = request_for("", 16, 2);
  request.architecture.stacks = Stacks::encoder_decoder;
  request.target = "a b c d";
  request.attention.target_mask = {};
  request.batch = {"one", "one two three"};
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const StageId self{StageKind::weights};
  const StageId target{StageKind::weights, Stack::decoder};
  const StageId cross{StageKind::weights, Stack::decoder, 0, AttentionKind::cross};
  for (const StageId& id : {self, cross}) {
    EXPECT_EQ(trace->value(id)(1, 0), 1.0F);
    EXPECT_EQ(trace->value(id)(1, 2), 0.0F);
    EXPECT_NE(describe_cell(*trace, id, 1, 2).find("only pads the sentence"), std::string::npos);
    EXPECT_EQ(describe_cell(*trace, id, 1, 0).find("hidden"), std::string::npos);
  }
  EXPECT_GT(trace->value(target)(1, 3), 0.0F);
  EXPECT_EQ(describe_cell(*trace, target, 1, 3).find("hidden"), std::string::npos)
      << "the target is not padded: " << describe_cell(*trace, target, 1, 3);
}

TEST(Batch, PaddingThatIsCutHidesNoWord) {
  Engine engine(1);
  Request request = request_for("", 16, 2);
  request.batch = {words(12), words(40)};
  request.max_bytes = 20'000;
  const int most = max_tokens(request);
  ASSERT_GT(most, 12);
  ASSERT_LT(most, 40);
  const auto cut = engine.compute(request, TooLong::cut);
  ASSERT_TRUE(cut);
  EXPECT_EQ((*cut)->n_tokens(), most);
  EXPECT_EQ((*cut)->batch().n_padded, most - 12);
  for (int key = 0; key < most; ++key) {
    EXPECT_EQ((*cut)->mask({StageKind::weights}).is_visible(0, 0, key), key < 12) << key;
  }
}

}  // namespace
}  // namespace headscope
