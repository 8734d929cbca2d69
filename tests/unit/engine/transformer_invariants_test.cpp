// Properties that hold for every Transformer, tested with random sizes and options.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

class TransformerInvariants : public testing::TestWithParam<int> {
 protected:
  Request request(Stacks stacks) const {
    return random_transformer(static_cast<std::uint64_t>(GetParam()), stacks);
  }

  Engine engine{1};
};

TEST_P(TransformerInvariants, RotaryScoresDependOnTheDistanceAlone) {
  Request one_word = request(Stacks::encoder);
  one_word.architecture.positions = Positions::rotary;
  one_word.architecture.d_model += one_word.architecture.d_model % (2 * one_word.architecture.n_heads);
  if (one_word.architecture.head_width(no_layer) < 4) {
    // Half of so few dimensions would not be a whole pair.
    one_word.architecture.kv_latent.reset();
    one_word.architecture.rotary.fraction = 1.0F;
  }
  const int n = n_words(one_word.sentence);
  one_word.sentence.clear();
  for (int i = 0; i < n; ++i) one_word.sentence += "same ";
  const SharedTrace trace = computed(engine, one_word);
  ASSERT_TRUE(trace);
  for (int head = 0; head < one_word.architecture.n_heads; ++head) {
    const MatrixView raw = stage(*trace, StageKind::raw, head);
    const float scale = 1.0F + std::abs(raw(0, 0));
    for (int query = 1; query < n; ++query) {
      for (int key = 1; key < n; ++key) {
        ASSERT_NEAR(raw(query, key), raw(query - 1, key - 1), 1e-4F * scale);
      }
    }
    EXPECT_NE(raw(0, 0), raw(0, 1)) << "and they do depend on it";
  }
}

TEST_P(TransformerInvariants, CrossAttentionsRowsSumToOneOverTheSource) {
  const SharedTrace trace = computed(engine, request(Stacks::encoder_decoder));
  ASSERT_TRUE(trace);
  int n_maps = 0;
  for (const StageId& id : stages_of_kind(*trace, StageKind::weights)) {
    if (id.attention != AttentionKind::cross) continue;
    ++n_maps;
    const MatrixView weights = trace->value(id);
    ASSERT_EQ(weights.cols, trace->n_tokens());
    ASSERT_EQ(weights.rows, static_cast<int>(trace->tokens(Stack::decoder).size()));
    for (int row = 0; row < weights.rows; ++row) {
      double sum = 0.0;
      for (const float weight : weights.row(row)) sum += static_cast<double>(weight);
      ASSERT_NEAR(sum + sink_share(*trace, id, row), 1.0, 1e-5);
    }
  }
  EXPECT_EQ(n_maps, trace->architecture().n_layers * trace->architecture().n_heads);
}

/// Compares the rows of the target before place `changed` in every stage of the decoder that has one row per
/// query, except for the scores before the mask.
void expect_earlier_rows_are_the_same(const Trace& before, const Trace& after, int changed) {
  for (const StageId& id : before.stages()) {
    if (id.stack != Stack::decoder || info(id.kind).rows != Axis::query_tokens) continue;
    if (id.kind == StageKind::raw || id.kind == StageKind::scaled || id.kind == StageKind::capped) continue;
    for (int row = 0; row < changed; ++row) {
      ASSERT_TRUE(same_bits(before.value(id).row(row), after.value(id).row(row)))
          << path(id) << ", row " << row;
    }
  }
}

TEST_P(TransformerInvariants, ACausalDecodersEarlierRowsDoNotKnowLaterTokens) {
  for (const Stacks stacks : {Stacks::decoder, Stacks::encoder_decoder}) {
    Request wish = request(stacks);
    std::string& text = stacks == Stacks::decoder ? wish.sentence : wish.target;
    const int n = n_words(text);
    const int changed = GetParam() % n;
    const SharedTrace before = computed(engine, wish);
    text = with_word(text, changed, "other");
    const SharedTrace after = computed(engine, wish);
    ASSERT_TRUE(before && after);
    expect_earlier_rows_are_the_same(*before, *after, changed);
    const StageId output{.kind = StageKind::stack_output, .stack = Stack::decoder};
    // Without residual connections, little of a token is left after cross-attention, perhaps less than the
    // rounding error.
    if (!wish.architecture.residual) continue;
    EXPECT_FALSE(same_bits(before->value(output).row(changed), after->value(output).row(changed)));
  }
}

TEST_P(TransformerInvariants, TheFirstFeedForwardLayerKnowsAChangedTokenOnlyThroughAttention) {
  Request wish = request(Stacks::encoder);
  wish.attention.mask.window = GetParam() % 4;
  wish.architecture.block = Block::sequential;
  const int changed = GetParam() % n_words(wish.sentence);
  const SharedTrace before = computed(engine, wish);
  wish.sentence = with_word(wish.sentence, changed, "other");
  const SharedTrace after = computed(engine, wish);
  ASSERT_TRUE(before && after);
  const MatrixView hidden = stage(*before, StageKind::hidden);
  const CombinedMask& mask = before->mask({StageKind::weights});
  for (int row = 0; row < hidden.rows; ++row) {
    const bool same = same_bits(hidden.row(row), stage(*after, StageKind::hidden).row(row));
    ASSERT_EQ(same, !mask.is_visible(0, row, changed)) << "row " << row << ", changed " << changed;
  }
}

TEST_P(TransformerInvariants, AResidualSumIsExactlyTheSum) {
  Request wish = request(Stacks::encoder_decoder);
  wish.architecture.residual = true;
  if (!wish.architecture.norms_allow_parallel()) wish.architecture.block = Block::sequential;
  const SharedTrace trace = computed(engine, wish);
  ASSERT_TRUE(trace);
  for (const StageKind kind : {StageKind::residual, StageKind::feed_forward_residual}) {
    for (const StageId& id : stages_of_kind(*trace, kind)) {
      const std::vector<StageId> parts = inputs_of(*trace, id);
      ASSERT_EQ(parts.size(), 2U);
      const auto input = numbers(trace->value(parts[0]));
      const auto added = numbers(trace->value(parts[1]));
      const auto sum = numbers(trace->value(id));
      for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], input[i] + added[i]) << path(id);
    }
  }
}

struct Moments {
  double mean = 0.0, variance = 0.0;
};

Moments moments(std::span<const float> row) {
  Moments m;
  const auto n = static_cast<double>(row.size());
  for (const float x : row) m.mean += static_cast<double>(x) / n;
  for (const float x : row)
    m.variance += (static_cast<double>(x) - m.mean) * (static_cast<double>(x) - m.mean) / n;
  return m;
}

/// After layer norm, the mean is 0 and the variance 1; after RMS norm, the mean square is 1.
void expect_normalised(const Architecture& a, std::span<const float> from, std::span<const float> row,
                       const std::string& where) {
  const Moments before = moments(from);
  const Moments after = moments(row);
  const auto epsilon = static_cast<double>(a.norm_epsilon);
  if (a.norm_kind == NormKind::rms) {
    const double square = before.variance + before.mean * before.mean;
    ASSERT_NEAR(after.variance + after.mean * after.mean, square / (square + epsilon), 1e-3) << where;
    return;
  }
  ASSERT_NEAR(after.mean, 0.0, 1e-4) << where;
  ASSERT_NEAR(after.variance, before.variance / (before.variance + epsilon), 1e-3) << where;
}

TEST_P(TransformerInvariants, NormalisedRowsAreAtOneScale) {
  for (const Norm norm : {Norm::pre, Norm::post, Norm::both}) {
    Request wish = request(Stacks::encoder_decoder);
    wish.architecture.norm = norm;
    if (!wish.architecture.norms_allow_parallel()) wish.architecture.block = Block::sequential;
    const SharedTrace trace = computed(engine, wish);
    ASSERT_TRUE(trace);
    for (const StageKind kind :
         {StageKind::norm, StageKind::normed, StageKind::feed_forward_norm, StageKind::feed_forward_normed,
          StageKind::output_norm, StageKind::feed_forward_output_norm, StageKind::stack_output}) {
      if (kind == StageKind::stack_output && norm == Norm::post) continue;
      for (const StageId& id : stages_of_kind(*trace, kind)) {
        const MatrixView from = trace->value(inputs_of(*trace, id).front());
        const MatrixView rows = trace->value(id);
        for (int row = 0; row < rows.rows; ++row) {
          expect_normalised(wish.architecture, from.row(row), rows.row(row), path(id));
        }
      }
    }
  }
}

TEST_P(TransformerInvariants, ProbabilitiesAreAShareForEveryWord) {
  Request wish = request(Stacks::encoder_decoder);
  wish.architecture.output_layer = GetParam() % 2 == 0 ? OutputLayer::tied : OutputLayer::linear;
  const SharedTrace trace = computed(engine, wish);
  ASSERT_TRUE(trace);
  const MatrixView shares = trace->value({.kind = StageKind::probabilities});
  ASSERT_EQ(shares.cols, static_cast<int>(trace->vocabulary().size()));
  ASSERT_EQ(shares.rows, static_cast<int>(trace->tokens(Stack::decoder).size()));
  for (int row = 0; row < shares.rows; ++row) {
    double sum = 0.0;
    for (const float share : shares.row(row)) sum += static_cast<double>(share);
    ASSERT_NEAR(sum, 1.0, 1e-5);
  }
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    for (const Token& token : trace->tokens(stack)) {
      ASSERT_NE(std::ranges::find(trace->vocabulary(), token.lookup), trace->vocabulary().end());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, TransformerInvariants, testing::Range(0, 25));

}  // namespace
}  // namespace headscope
