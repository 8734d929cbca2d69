#include "core/measures/measured_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/checkpoint/model_folder.h"
#include "core/measures/measure.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::pass;
using testing::random_request;

StageId last_self(const Trace& trace) {
  return {StageKind::weights, trace.architecture().last_stack(), 0, AttentionKind::self, 0};
}

TEST(MeasuredHeads, AreWithinTheirBoundsInAnyPass) {
  std::mt19937 random(20);
  int n_measured = 0;
  for (int i = 0; i < 60; ++i) {
    Request request = random_request(random);
    request.attention.softmax = SoftmaxAxis::keys;
    const auto trace = pass(request);
    for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
      if (kind == AttentionKind::cross && !trace->architecture().has_cross()) continue;
      StageId place = last_self(*trace);
      place.attention = kind;
      const auto measured = measured_heads(*trace, place).finish();
      ASSERT_EQ(measured.heads.size(),
                static_cast<std::size_t>(request.architecture.n_layers * request.architecture.n_heads));
      for (const HeadMeasures& head : measured.heads) {
        for (const MeasureRecord& record : measure_table) {
          const auto value = value_of(head, record.measure);
          if (!value) continue;
          ++n_measured;
          EXPECT_TRUE(kind == AttentionKind::self || record.has_cross);
          // An “abs” measure is 1 minus a sum of differences that may exceed 1, so it may be negative.
          const bool is_difference = record.name.ends_with("abs");
          if (!is_difference) {
            EXPECT_GE(*value, -1e-6) << record.name;
          }
          if (record.measure != HeadMeasure::distance) {
            EXPECT_LE(*value, 1.0 + 1e-5) << record.name;
          }
        }
      }
    }
  }
  EXPECT_GT(n_measured, 1000);
}

TEST(MeasuredHeads, ReadWhatThePassHolds) {
  Request request;
  request.sentence = "the cat , the dog .";
  request.architecture.n_layers = 2;
  const auto trace = pass(request);
  const auto measured = measured_heads(*trace, last_self(*trace)).finish();
  StageId id = last_self(*trace);
  id.layer = 1;
  id.head = 2;
  const MatrixView weights = trace->value(id);
  const HeadMeasures head = measured.at({1, 2});
  EXPECT_NEAR(value_of(head, HeadMeasure::duplicate).value_or(-1), weights(3, 0), 1e-6);
  EXPECT_NEAR(value_of(head, HeadMeasure::induction).value_or(-1), weights(3, 1), 1e-6);
  double marks = 0.0;
  for (int row = 0; row < 6; ++row) marks += (weights(row, 2) + weights(row, 5)) / 6.0;
  EXPECT_NEAR(value_of(head, HeadMeasure::punctuation).value_or(-1), marks, 1e-6);
  EXPECT_FALSE(value_of(head, HeadMeasure::noun));
  EXPECT_FALSE(value_of(measured.at({7, 7}), HeadMeasure::self)) << "there is no such head";
}

TEST(MeasuredHeads, LeaveOutWhatFillsUpABatch) {
  Request alone;
  alone.sentence = "one two three";
  Request batch = alone;
  batch.batch = {"one two three", "a much longer sentence stands here"};
  const auto padded = pass(batch);
  ASSERT_GT(padded->batch().n_padded, 0);
  const MeasuredText text = measured_text(*padded, last_self(*padded));
  EXPECT_EQ(text.n_queries(), 3);
  const auto mine = measured_heads(*padded, last_self(*padded)).finish();
  const auto expected = measured_heads(*pass(alone), last_self(*padded)).finish();
  for (std::size_t head = 0; head < mine.heads.size(); ++head) {
    for (std::size_t i = 0; i < n_measures; ++i) {
      EXPECT_NEAR(mine.heads[head][i].value_or(-1), expected.heads[head][i].value_or(-1), 1e-5)
          << measure_table[i].name;
    }
  }
}

TEST(MeasuredHeads, TheShownHeadOfThePronounsLooksAtTheNoun) {
  const auto model = open_model("pronouns", {"/nowhere", HEADSCOPE_SOURCE_DIR "/assets/models"});
  ASSERT_TRUE(model);
  Request request;
  request.model = *model;
  request.sentence = testing::animal;
  request.architecture = (*model)->model.architecture;
  const auto trace = pass(request);
  const auto measured = measured_heads(*trace, last_self(*trace)).finish();
  const HeadMeasures head = measured.at({(*model)->layer, (*model)->head});
  ASSERT_TRUE(strongest_role(head));
  EXPECT_EQ(strongest_role(head)->measure, HeadMeasure::noun);
  EXPECT_GT(strongest_role(head)->value, 0.8);
  StageId id = last_self(*trace);
  id.layer = (*model)->layer;
  id.head = (*model)->head;
  EXPECT_NEAR(strongest_role(head)->value, trace->value(id)(7, 1), 1e-6) << "from “it” to “animal”";
}

TEST(HeadIndex, NamesReadBack) {
  for (const HeadIndex place : {HeadIndex{0, 0}, HeadIndex{1, 2}, HeadIndex{11, 11}})
    EXPECT_EQ(parse_head_name(head_name(place)), place);
  for (const char* wrong : {"", "1", "1.", ".1", "1.2.3", "-1.2", "1.-2", "a.b", "1,2", " 1.2"})
    EXPECT_FALSE(parse_head_name(wrong)) << wrong;
}

TEST(Combined, MeanAndGreatestAreThoseOfTheCells) {
  Request request = testing::small_request();
  request.architecture.n_layers = 2;
  request.attention.mask.causal = true;
  const auto trace = pass(request);
  const StageId place = last_self(*trace);
  const std::vector<HeadIndex> heads{{0, 1}, {1, 0}, {1, 1}};
  const auto mean = combined_weights(*trace, place, heads, false).finish();
  const auto greatest = combined_weights(*trace, place, heads, true).finish();
  for (int row = 0; row < mean.rows; ++row) {
    for (int col = 0; col < mean.cols; ++col) {
      float sum = 0.0F;
      float most = 0.0F;
      for (const HeadIndex& head : heads) {
        const float weight = trace->number(
            {StageKind::weights, place.stack, head.layer, place.attention, head.head}, row, col);
        sum += weight;
        most = std::max(most, weight);
      }
      EXPECT_NEAR(mean.at(row, col), sum / 3.0F, 1e-6F);
      EXPECT_EQ(greatest.at(row, col), most);
    }
  }
}

TEST(Rollout, RowsSumToOneWhateverIsMasked) {
  std::mt19937 random(21);
  for (int i = 0; i < 40; ++i) {
    Request request = random_request(random);
    const auto trace = pass(request);
    const Stack stack = trace->architecture().last_stack();
    const auto rolled = rollout(*trace, stack, trace->architecture().n_layers - 1).finish();
    const CombinedMask& mask = trace->mask(last_self(*trace));
    for (int row = 0; row < rolled.rows; ++row) {
      double sum = 0.0;
      bool is_causal = trace->mask_spec(last_self(*trace)).causal;
      for (int col = 0; col < rolled.cols; ++col) {
        sum += static_cast<double>(rolled.at(row, col));
        if (is_causal && col > row && !mask.visible.empty()) {
          EXPECT_EQ(rolled.at(row, col), 0.0F);
        }
      }
      EXPECT_NEAR(sum, 1.0, 1e-4) << "row " << row;
    }
  }
}

}  // namespace
}  // namespace headscope
