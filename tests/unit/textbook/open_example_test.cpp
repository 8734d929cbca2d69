#include <gtest/gtest.h>

#include <algorithm>

#include "core/textbook/computed_example.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

/// One of the program's examples, with everything computed.
struct Opened {
  explicit Opened(const char* name)
      : example(*worked_example(name)), computed(compute_example(example).finish()) {}

  std::size_t quantity(const char* name) const {
    const auto found = std::ranges::find(example.quantities, name, &Quantity::name);
    EXPECT_NE(found, example.quantities.end()) << name;
    return static_cast<std::size_t>(found - example.quantities.begin());
  }
  Session at(const char* name, std::optional<Cell> cell = {}) const {
    return open_at(example, computed, quantity(name), cell, current);
  }

  const WorkedExample& example;
  ComputedExample computed;
  Session current;
};

TEST(OpenExample, ACellOfAPickedRowIsThatOfTheStage) {
  const Opened opened("raschka-3.4.1-trainable-weights");
  const Session session = opened.at("scores_row2", Cell{0, 4});
  ASSERT_TRUE(session.selection.pin);
  EXPECT_EQ(session.selection.pin->stage, StageId{.kind = StageKind::raw});
  EXPECT_EQ(session.selection.pin->row, 1) << "the second row of the stage";
  EXPECT_EQ(session.selection.pin->col, 4);
  EXPECT_EQ(session.view, PageName::explore);
  EXPECT_EQ(session.textbook, opened.example.name);
}

TEST(OpenExample, ARowBelowTheFirstMatrixIsOfAnotherHeadOrCase) {
  const Opened heads("raschka-3.6.2-batched-matmul");
  const Session second = heads.at("a_aT", Cell{4, 2});
  EXPECT_EQ(second.selection.head, 1);
  ASSERT_TRUE(second.selection.pin);
  EXPECT_EQ(second.selection.pin->stage.head, 1);
  EXPECT_EQ(second.selection.pin->row, 1);

  const Opened cases("d2l-masked-softmax-lens-2-3");
  EXPECT_EQ(cases.at("weights", Cell{1, 0}).attention.cross_mask.padding, (std::vector<int>{2, 3}));
  const Session other = cases.at("weights", Cell{2, 0});
  EXPECT_EQ(other.attention.cross_mask.padding, (std::vector<int>{3}));
  EXPECT_EQ(other.selection.pin->row, 0);
  EXPECT_EQ(other.selection.attention, AttentionKind::cross);
}

TEST(OpenExample, WhatIsNoStageAsItStandsPinsNothing) {
  const Opened opened("raschka-3.5.1-causal-mask");
  EXPECT_FALSE(opened.at("weights_renormalised", Cell{1, 0}).selection.pin);
  EXPECT_TRUE(opened.at("weights_zeroed", Cell{1, 0}).selection.pin) << "where it is not cut away";
  EXPECT_FALSE(opened.at("weights_zeroed").selection.pin);
  EXPECT_TRUE(opened.at("weights").attention.mask.causal);
  EXPECT_FALSE(opened.at("weights_zeroed").attention.mask.causal);
}

TEST(OpenExample, OtherNumbersOpenTheirPages) {
  const Opened sampled("raschka-5.3-temperature-top-k");
  const Session words = sampled.at("probabilities_T5");
  EXPECT_EQ(words.view, PageName::words);
  EXPECT_EQ(words.sampling.temperature, 5.0F);
  const Session tiles = Opened("flash-attention-online-softmax").at("sum_5");
  EXPECT_EQ(tiles.view, PageName::tiles);
  EXPECT_EQ(tiles.tiles.step, 5);
  EXPECT_EQ(Opened("annotated-subsequent-mask").at("number_true").selection.stage, StageKind::masked);
}

TEST(OpenExample, TheLookOfTheWindowStays) {
  Opened opened("raschka-3.3-simple");
  opened.current.picture.theme = ThemeName::dark;
  EXPECT_EQ(opened.at("weights").picture.theme, ThemeName::dark);
  EXPECT_EQ(open_case(opened.example, 0, opened.current).picture, opened.current.picture);
}

TEST(ExampleText, SaysHowManyAgree) {
  const Opened all("raschka-3.3-simple");
  EXPECT_EQ(agreement_text(all.example, all.computed), "All 111 printed numbers agree.");
  const Opened some("alammar-gpt2-masked-scores");
  EXPECT_EQ(agreement_text(some.example, some.computed),
            "39 of 48 printed numbers agree. 1 quantity differs for a stated reason.");
  const Opened none("cs224n-copy");
  EXPECT_EQ(agreement_text(none.example, none.computed),
            "Nothing was checked: the source prints no numbers to compare with.");
  const std::size_t weights = some.quantity("weights_scale_1");
  EXPECT_EQ(verdict_text(some.example.quantities[weights], some.computed[weights]),
            "9 of 16 numbers differ, explained below");
  EXPECT_EQ(place_of_quantity(some.example, some.example.quantities[weights]),
            "weights · as printed, not scaled");
}

TEST(ExampleText, RowsAndColumnsAreOfTokensAndWords) {
  const Opened scores("raschka-3.3-simple");
  const ComputedQuantity& second = scores.computed[scores.quantity("weights_row2")];
  EXPECT_EQ(second.rows, (std::vector<std::string>{"journey"}));
  EXPECT_EQ(second.cols, (std::vector<std::string>{"Your", "journey", "starts", "with", "one", "step"}));
  const Opened words("raschka-5.3-temperature-top-k");
  EXPECT_EQ(words.computed[words.quantity("top3_logits")].cols[3], "forward");
  const Opened counts("vaswani-table-3");
  EXPECT_EQ(counts.computed.front().rows.front(), "base");
  EXPECT_TRUE(counts.computed.front().cols.empty());
}

}  // namespace
}  // namespace headscope
