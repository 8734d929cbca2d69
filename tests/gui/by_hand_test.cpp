#include <gtest/gtest.h>

#include "core/page/pages.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

/// The page after choosing the 2 × 2 example that it offers at first.
class ByHand : public testing::Test {
 protected:
  void SetUp() override {
    driver.press(PageName::by_hand);
    click_text("Begin with 2 × 2");
    ASSERT_TRUE(is_small_enough(driver.trace()));
  }
  void click_text(const char* text) {
    const auto found = find_text(text);
    ASSERT_FALSE(found.empty()) << text;
    driver.click({found.back().x + found.back().w / 2.0F, found.back().y + found.back().h / 2.0F});
    driver.settle();
  }
  void click_cell(const std::string& slot, int row, int col) {
    const auto at = driver.cell(slot, row, col);
    ASSERT_TRUE(at) << slot;
    driver.click(*at);
    driver.frames(3);
  }
  void type(const char* text) {
    driver.window().type(text);
    driver.settle();
  }
  float number(StageKind kind, int row, int col) const {
    return driver.trace().value(driver.session().selection.at(kind))(row, col);
  }
  AppDriver driver;
};

TEST_F(ByHand, ANumberIsTypedInItsPlaceAndAllFollowsWithEachKey) {
  click_cell("by hand 0 W_Q", 0, 1);
  type("3");
  EXPECT_EQ(number(StageKind::w_query, 0, 1), 3.0F);
  EXPECT_EQ(number(StageKind::query, 0, 1), 3.0F) << "Q = X W_Q, and X begins as the unit matrix";
  expect_rows_sum_to_one(driver.trace());
  driver.press({Key::enter});
  type("-2");
  EXPECT_EQ(number(StageKind::w_query, 1, 1), -2.0F) << "Enter goes down";
  EXPECT_EQ(number(StageKind::query, 1, 1), -2.0F);
  driver.press({Key::tab});
  type("4");
  EXPECT_EQ(number(StageKind::w_key, 0, 0), 4.0F) << "Tab goes on, from the last number to the next matrix";
}

TEST_F(ByHand, TheExplanationFollowsTheNumberThatIsTyped) {
  click_cell("by hand 0 W_Q", 0, 1);
  driver.press({Key::tab});
  driver.frames(3);
  ASSERT_TRUE(driver.app().screen().inline_edit);
  EXPECT_FALSE(driver.app().screen().hovered) << "the mouse still rests on the number that was left";
  EXPECT_EQ(driver.session().selection.pin->row, 1);
  driver.press({Key::escape});
  // Newer versions of ImGui hide the mouse from what is below it after a key, until it moves.
  click_cell("by hand 0 W_Q", 0, 1);
  driver.press({Key::escape});
  driver.frames(3);
  EXPECT_TRUE(driver.app().screen().hovered);
}

TEST_F(ByHand, NumbersTypedFasterThanFramesAreDrawnAllArrive) {
  const std::string sentence = driver.session().sentence;
  click_cell("by hand 0 W_Q", 0, 0);
  HeadlessWindow& window = driver.window();
  const auto tap = [&](Key key) {
    window.key_down(key);
    window.key_up(key);
  };
  window.type("3");
  tap(Key::tab);
  window.type("14");
  tap(Key::tab);
  window.type("-2");
  tap(Key::tab);
  tap(Key::tab);
  window.type("5");
  driver.settle();
  EXPECT_EQ(number(StageKind::w_query, 0, 0), 3.0F);
  EXPECT_EQ(number(StageKind::w_key, 0, 0), 5.0F) << "Tab goes from the last number to the next matrix";
  EXPECT_EQ(number(StageKind::w_query, 0, 1), 14.0F);
  EXPECT_EQ(number(StageKind::w_query, 1, 0), -2.0F);
  EXPECT_EQ(driver.session().sentence, sentence);
}

TEST_F(ByHand, QueriesKeysAndValuesAreTypedOneAfterTheOther) {
  click_cell("by hand 0 query", 0, 0);
  const std::optional<Point> before = driver.cell("by hand 3 weights", 1, 1);
  for (const char* number : {"1", "2", "3", "4"}) {
    type(number);
    driver.press({Key::tab});
  }
  type("7");
  EXPECT_EQ(number(StageKind::query, 1, 1), 4.0F);
  EXPECT_EQ(number(StageKind::key, 0, 0), 7.0F) << "keys follow queries";
  driver.hover({1.0F, 1.0F});  // While a number is typed, another is found only once the mouse moves.
  const std::optional<Point> after = driver.cell("by hand 3 weights", 1, 1);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->x, after->x) << "what was typed moves no matrix";
  EXPECT_EQ(before->y, after->y);
}

TEST_F(ByHand, EnterAfterTheLastNumberOfAMatrixEndsTyping) {
  const std::string sentence = driver.session().sentence;
  const float first_of_keys = number(StageKind::w_key, 0, 0);
  click_cell("by hand 0 W_Q", 0, 1);
  type("3");
  driver.press({Key::enter});
  type("4");
  EXPECT_TRUE(driver.app().screen().inline_edit);
  driver.press({Key::enter});
  EXPECT_FALSE(driver.app().screen().inline_edit);
  EXPECT_EQ(number(StageKind::w_query, 1, 1), 4.0F);
  EXPECT_EQ(number(StageKind::w_key, 0, 0), first_of_keys);
  EXPECT_EQ(driver.session().sentence, sentence);
}

TEST_F(ByHand, ATypedNumberIsOneStepOfUndo) {
  const GivenNumbers before = driver.session().given;
  click_cell("by hand 0 W_Q", 0, 0);
  type("1");
  type("2");
  type(".5");
  EXPECT_EQ(number(StageKind::w_query, 0, 0), 12.5F);
  driver.press(CommandId::undo);
  EXPECT_TRUE(driver.session().given == before);
  driver.frames(2);
  EXPECT_FALSE(driver.app().screen().inline_edit) << "the field does not keep what was undone";
}

TEST_F(ByHand, WhatIsNoNumberChangesNothing) {
  click_cell("by hand 0 W_Q", 0, 0);
  const float before = number(StageKind::w_query, 0, 0);
  type("-");
  EXPECT_EQ(number(StageKind::w_query, 0, 0), before);
  driver.press({Key::escape});
  EXPECT_FALSE(driver.app().screen().inline_edit);
}

TEST_F(ByHand, AComputedNumberCannotBeTypedOver) {
  click_cell("by hand 3 weights", 0, 0);
  EXPECT_FALSE(driver.app().screen().inline_edit);
  EXPECT_TRUE(driver.session().selection.pin);
}

TEST_F(ByHand, WhereThereIsLittleRoomTheMessageStillSaysWhatItIsAbout) {
  click_cell("by hand 0 query", 0, 0);
  type("3");
  EXPECT_FALSE(screen_contains("1 message"));
  EXPECT_TRUE(screen_contains("Numbers by hand") || screen_contains("Q given by hand"));
}

TEST_F(ByHand, NewNumbersAreOneStepOfUndo) {
  const GivenNumbers before = driver.session().given;
  click_text("New numbers");
  EXPECT_FALSE(driver.session().given == before);
  driver.press(CommandId::undo);
  EXPECT_TRUE(driver.session().given == before);
}

TEST_F(ByHand, WhatFollowsFromACoverWaitsUntilItIsFound) {
  ASSERT_TRUE(driver.cell("by hand 3 output", 0, 0));
  driver.press(CommandId::toggle_cover);
  driver.settle();
  EXPECT_FALSE(driver.cell("by hand 3 output", 0, 0)) << "V is the identity, so O would tell A";
  EXPECT_TRUE(driver.cell("by hand 3 scaled", 0, 0));
  for (const int row : {0, 1}) {
    for (const int col : {0, 1}) click_cell("by hand 3 weights", row, col);
  }
  EXPECT_TRUE(driver.cell("by hand 3 output", 0, 0)) << "all weights were shown";
}

TEST_F(ByHand, TheWorksheetIsShownBeforeItIsWritten) {
  click_text("Worksheet…");
  EXPECT_TRUE(driver.app().screen().export_form.open);
  EXPECT_TRUE(screen_contains("Two PDFs"));
}

TEST_F(ByHand, ThereIsNoLinkToTheNumbersInView) {
  driver.settle();
  EXPECT_FALSE(screen_contains("Your own numbers"));
}

TEST_F(ByHand, AButtonBringsTheSentenceAndTheModelBack) {
  const Subject before = driver.app().scene().history.past().back()->subject();
  click_cell("by hand 0 W_Q", 0, 1);
  type("3");
  driver.press({Key::escape});
  const auto back = find_letters("Back to “");
  ASSERT_EQ(back.size(), 1U);
  driver.click({back.front().x + 4.0F, back.front().y + 4.0F});
  driver.settle();
  EXPECT_EQ(driver.session().subject(), before);
  driver.press(CommandId::undo);
  EXPECT_TRUE(is_small_enough(driver.trace())) << "nothing that was typed is lost";
  EXPECT_EQ(number(StageKind::w_query, 0, 1), 3.0F);
}

TEST_F(ByHand, BeforeAnythingIsPointedAtTheGreatestWeightIsExplained) {
  EXPECT_TRUE(screen_contains("weight = exp / Σ over keys"));
  driver.press(CommandId::toggle_cover);
  driver.settle();
  EXPECT_FALSE(screen_contains("weight = exp / Σ over keys")) << "an exercise gives nothing away";
}

TEST_F(ByHand, ThreeByThreeFitsThePageToo) {
  click_text("3 × 3");
  ASSERT_TRUE(is_small_enough(driver.trace()));
  EXPECT_EQ(driver.trace().extent(driver.session().selection.at(StageKind::weights)).rows, 3);
  EXPECT_TRUE(driver.cell("by hand 3 output", 2, 2)) << "the last number is in sight";
}

TEST(ByHandPage, AnyOtherModelIsKeptUntilOneBegins) {
  AppDriver driver;
  const Architecture before = driver.session().architecture;
  driver.press(PageName::by_hand);
  EXPECT_TRUE(driver.session().architecture == before);
  EXPECT_TRUE(screen_contains("One head that fits on a sheet of paper"));
}

}  // namespace
}  // namespace headscope
