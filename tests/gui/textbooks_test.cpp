// Tests the page of textbooks: choosing an example, reading what differs and why, opening its numbers, and
// returning.
#include <gtest/gtest.h>

#include "core/session/settings.h"
#include "core/textbook/worked_examples.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

class Textbooks : public testing::Test {
 protected:
  void choose(const char* name) {
    driver_.app().apply(set_to("textbook", name));
    driver_.settle();
    driver_.wait_until("for the example", [] { return screen_contains("printed number"); });
  }
  void press(const char* label, std::size_t which = 0) {
    const std::vector<Box> found = find_text(label);
    ASSERT_GT(found.size(), which) << label;
    driver_.click({found[which].x + 3.0F, found[which].y + 3.0F});
    driver_.settle();
  }

  AppDriver driver_{{1600, 1000}};
};

TEST_F(Textbooks, AreReachedByAKeyAndLeaveTheSessionAsItIs) {
  const Session before = driver_.session();
  driver_.press(PageName::textbooks);
  driver_.wait_until("for the first example",
                     [] { return screen_contains("All 111 printed numbers agree."); });
  EXPECT_TRUE(screen_contains("Sebastian Raschka"));
  press("Causal mask in two ways");
  driver_.wait_until("for another", [] { return screen_contains("All 144 printed numbers agree."); });
  EXPECT_EQ(driver_.session().textbook, "raschka-3.5.1-causal-mask");
  EXPECT_EQ(driver_.session().subject(), before.subject()) << "looking at an example changes nothing";
}

TEST_F(Textbooks, WhatDiffersIsMarkedAndExplained) {
  driver_.press(PageName::textbooks);
  choose("alammar-gpt2-masked-scores");
  EXPECT_TRUE(screen_contains("39 of 48 printed numbers agree. 1 quantity differs for a stated reason."));
  EXPECT_TRUE(screen_contains("9 of 16 numbers differ, explained below"));
  EXPECT_TRUE(screen_contains("An error in the source"));
  choose("raschka-3.4.1-trainable-weights");
  EXPECT_FALSE(screen_contains("differ"));
  driver_.app().apply(set_to("textbook", "annotated-label-smoothing"));
  driver_.settle();
  EXPECT_TRUE(screen_contains("it has no such numbers"));
  EXPECT_TRUE(find_text("Open its numbers").empty());
}

TEST_F(Textbooks, ANumberOpensWhereItIsComputedAndUndoComesBack) {
  driver_.press(PageName::textbooks);
  choose("raschka-3.4.1-trainable-weights");
  const Session before = driver_.session();
  press("1.8524");  // the printed score of “journey” for itself
  EXPECT_EQ(driver_.session().view, PageName::explore);
  EXPECT_EQ(driver_.session().selection.stage, StageKind::raw);
  EXPECT_EQ(driver_.session().sentence, "Your journey starts with one step");
  EXPECT_FALSE(driver_.session().given.empty());
  ASSERT_NE(driver_.app().trace(), nullptr);
  EXPECT_NEAR(driver_.trace().number({.kind = StageKind::raw}, 1, 1), 1.8524, 5e-5);
  EXPECT_TRUE(screen_contains("Textbook: One"));
  driver_.app().undo();
  driver_.settle();
  EXPECT_EQ(driver_.session(), before);
  press("0.2264");
  ASSERT_TRUE(driver_.session().selection.pin);
  EXPECT_EQ(driver_.session().selection.pin->stage.kind, StageKind::weights);
  EXPECT_EQ(driver_.session().selection.pin->row, 1);
  EXPECT_EQ(driver_.session().selection.pin->col, 1);
}

TEST_F(Textbooks, EveryExampleOpensAndComputes) {
  for (const WorkedExample& example : worked_examples()) {
    if (!example.opens()) continue;
    driver_.app().apply(set_to("textbook", example.name));
    driver_.press(PageName::textbooks);
    driver_.wait_until("for the numbers", [] { return screen_contains("print"); });
    press("Open its numbers");
    EXPECT_EQ(driver_.app().error(), "") << example.name;
    EXPECT_EQ(driver_.session().given, example.cases.front().session.given) << example.name;
    EXPECT_NE(driver_.session().view, PageName::textbooks) << example.name;
  }
}

TEST_F(Textbooks, ASmallWindowHasTheirListInALine) {
  AppDriver small({700, 600});
  small.press(PageName::textbooks);
  small.wait_until("for the first example", [] { return screen_contains("printed numbers agree"); });
  EXPECT_TRUE(find_text("One head with weights").empty());
  EXPECT_FALSE(find_text("Attention without weights").empty());
}

}  // namespace
}  // namespace headscope
