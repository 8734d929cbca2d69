// Covers numbers with a key, a link and the mouse, shows them with a click, finds them by typing an answer,
// and restores them with undo.
#include "core/trace/cover.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

class Exercise : public testing::Test {
 protected:
  Exercise() { driver_.settle(); }

  void cover() {
    driver_.press(CommandId::toggle_cover);
    driver_.settle();
  }
  float number(int row, int col) {
    const StageId stage = driver_.session().selection.at(StageKind::weights);
    return driver_.trace().number(stage, row, col);
  }
  /// Points at a cell of the large map.
  void point_at(int row, int col) {
    const auto at = driver_.cell("large", row, col);
    ASSERT_TRUE(at);
    driver_.hover(*at);
  }
  void answer(const std::string& typed) {
    driver_.window().type(typed);
    driver_.frames(2);
    driver_.window().press({Key::enter});
    driver_.settle();
  }
  const Cover& covered() { return driver_.session().cover; }
  /// The answer in the form in which it is requested.
  std::string with_digits(float value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g", static_cast<double>(value));
    return text.data();
  }

  AppDriver driver_{{1600, 1000}};
};

/// The text beside a covered cell must be the same for small and large numbers.
TEST_F(Exercise, HowAnAnswerIsAskedForDoesNotTellIt) {
  cover();
  for (int col = 0; col < 4; ++col) {
    point_at(0, col);
    driver_.settle();
    EXPECT_TRUE(screen_contains("to two significant digits"));
    for (const char* decimals : {"without decimals", "1 decimal", "2 decimals", "3 decimals", "4 decimals"})
      EXPECT_FALSE(screen_contains(decimals));
  }
}

TEST_F(Exercise, ANumberThatIsMeantForNoCellDoesNothing) {
  cover();
  EXPECT_TRUE(screen_contains("point at a cell"));
  const ModelRef before = driver_.session().model;
  const std::string sentence = driver_.session().sentence;
  driver_.window().key_down(Key::period);
  driver_.window().type(".");
  driver_.window().key_up(Key::period);
  driver_.settle();
  EXPECT_EQ(driver_.session().model, before);
  EXPECT_EQ(driver_.session().sentence, sentence);
  EXPECT_TRUE(screen_contains("Point at a covered cell"));
  EXPECT_FALSE(driver_.app().scene().training.progress);
}

TEST_F(Exercise, CoversAndUncoversByItsKey) {
  EXPECT_FALSE(covered().stage);
  cover();
  EXPECT_TRUE(covered().all);
  EXPECT_EQ(covered().stage, driver_.session().selection.at(StageKind::weights));
  EXPECT_TRUE(screen_contains("0 of 121 found."));
  cover();
  EXPECT_FALSE(covered().stage);
  EXPECT_FALSE(screen_contains("of 121 found."));
}

TEST_F(Exercise, TellsNoNumberBeforeItIsFound) {
  cover();
  point_at(7, 1);
  driver_.frames(3);
  EXPECT_TRUE(screen_contains("covered"));
  EXPECT_FALSE(screen_contains(rounded_text(static_cast<double>(number(7, 1)))));
  EXPECT_FALSE(screen_contains("gives"));
}

TEST_F(Exercise, ShowsANumberThatIsClicked) {
  cover();
  const auto at = driver_.cell("large", 7, 1);
  ASSERT_TRUE(at);
  driver_.click(*at);
  driver_.settle();
  EXPECT_FALSE(covered().covers(7, 1));
  EXPECT_TRUE(covered().covers(7, 2));
  EXPECT_FALSE(driver_.session().selection.pin) << "the first click shows, the second pins";
  EXPECT_TRUE(screen_contains("0 of 120 found."));
  driver_.app().undo();
  driver_.settle();
  EXPECT_TRUE(covered().hides(7, 1));
  driver_.click(*at);
  driver_.settle();
  driver_.click(*at);
  driver_.settle();
  EXPECT_TRUE(driver_.session().selection.pin);
}

TEST_F(Exercise, TakesARightAnswer) {
  cover();
  point_at(7, 1);
  answer(with_digits(number(7, 1)));
  EXPECT_TRUE(covered().is_right(7, 1));
  EXPECT_TRUE(screen_contains("1 of 121 found."));
  driver_.app().undo();
  driver_.settle();
  EXPECT_TRUE(covered().hides(7, 1));
}

TEST_F(Exercise, TakesAnAnswerWhenTheMouseLeavesItsCell) {
  cover();
  point_at(7, 1);
  driver_.window().type(with_digits(number(7, 1)));
  driver_.frames(2);
  point_at(3, 3);
  driver_.settle();
  EXPECT_TRUE(covered().is_right(7, 1)) << "for another covered cell";
  driver_.window().type("9.9");
  driver_.frames(2);
  driver_.hover({4.0F, 4.0F});
  driver_.settle();
  EXPECT_EQ(covered().right.size(), 1U);
  point_at(3, 3);
  driver_.frames(3);
  EXPECT_TRUE(screen_contains("“9.9” is wrong.")) << "it is not forgotten";
}

TEST_F(Exercise, AHiddenCellHasTheWeightZero) {
  driver_.press(CommandId::toggle_causal);
  driver_.settle();
  cover();
  point_at(1, 7);
  driver_.frames(3);
  EXPECT_TRUE(screen_contains("to two significant digits"));
  answer("-inf");
  EXPECT_TRUE(covered().right.empty());
  EXPECT_TRUE(screen_contains("“-inf” is wrong."));
  answer("0");
  EXPECT_TRUE(covered().is_right(1, 7));
}

TEST_F(Exercise, SaysWhereNothingCanBeCovered) {
  driver_.press(PageName::words);
  driver_.settle();
  cover();
  EXPECT_FALSE(covered().stage);
  EXPECT_TRUE(screen_contains("Nothing can be covered here"));
  driver_.press(CommandId::toggle_cover_mode);
  EXPECT_FALSE(driver_.app().screen().is(ClickMode::covering));
}

TEST_F(Exercise, SaysThatAnAnswerIsWrongAndAsksAgain) {
  cover();
  point_at(7, 1);
  answer("9.9");
  EXPECT_TRUE(covered().right.empty());
  EXPECT_TRUE(screen_contains("“9.9” is wrong."));
  answer("1-2");
  EXPECT_TRUE(screen_contains("“1-2” is not a number."));
  answer(with_digits(number(7, 1)));
  EXPECT_TRUE(covered().is_right(7, 1)) << "what was wrong is typed anew";
}

TEST_F(Exercise, TakesAFraction) {
  cover();
  point_at(7, 1);
  const float value = number(7, 1);
  const std::string sentence = driver_.session().sentence;
  answer("1/2x");
  EXPECT_TRUE(screen_contains("“1/2x” is not a number."));
  answer("1/" + with_digits(1.0F / value));
  EXPECT_TRUE(covered().is_right(7, 1));
  EXPECT_FALSE(driver_.app().screen().palette.open);
  EXPECT_EQ(driver_.session().sentence, sentence);
  point_at(7, 2);
  driver_.window().type("/");
  driver_.settle();
  EXPECT_EQ(driver_.session().sentence, sentence) << "the cell under the mouse takes every key";
  EXPECT_EQ(driver_.app().screen().answer.typed, "/");
}

TEST_F(Exercise, TabGoesToTheNextCellAndTakesTheKeysAlong) {
  const std::string sentence = driver_.session().sentence;
  cover();
  point_at(7, 1);
  for (const int col : {1, 2}) {
    driver_.window().type(with_digits(number(7, col)));
    driver_.frames(2);
    driver_.press(Chord{Key::tab});
  }
  answer(with_digits(number(7, 3)));
  EXPECT_EQ(covered().right, (std::vector<StageCell>{{7, 1}, {7, 2}, {7, 3}}));
  EXPECT_EQ(driver_.session().sentence, sentence);
}

TEST_F(Exercise, AnAnswerSurvivesPointingAtItsCell) {
  cover();
  point_at(7, 1);
  driver_.window().type(with_digits(number(7, 1)));
  driver_.frames(2);
  driver_.press(Chord{Key::tab});
  driver_.window().type("9");
  driver_.frames(2);
  point_at(7, 2);
  driver_.frames(3);
  EXPECT_EQ(driver_.app().screen().answer.typed, "9");
}

TEST_F(Exercise, AWrongAnswerIsCalledWrongWhereverTheMouseIs) {
  cover();
  point_at(7, 1);
  driver_.window().type(with_digits(number(7, 1)));
  driver_.frames(2);
  driver_.press(Chord{Key::tab});
  answer("9");
  EXPECT_TRUE(screen_contains("“9” is wrong."));
  point_at(7, 2);
  driver_.settle();
  EXPECT_TRUE(screen_contains("“9” is wrong."));
}

TEST_F(Exercise, TabStaysInTheZoomedPartOfAMap) {
  cover();
  auto& window = driver_.app().screen().memo.maps["large"].window;
  window.first_row = window.n_rows = window.n_cols = 4;
  driver_.settle();
  point_at(7, 3);
  driver_.window().type(with_digits(number(7, 3)));
  driver_.frames(2);
  driver_.press(Chord{Key::tab});
  driver_.window().type("0");
  driver_.frames(3);
  ASSERT_TRUE(driver_.app().screen().answer.at);
  EXPECT_EQ(driver_.app().screen().answer.at->row, 4);
  EXPECT_EQ(driver_.app().screen().answer.at->col, 0);
}

TEST_F(Exercise, LettersOfAnAnswerAreNoCommands) {
  cover();
  point_at(7, 1);
  const Session before = driver_.session();
  driver_.window().type("-");
  driver_.frames(2);
  for (const Key key : {Key::i, Key::n, Key::f}) {
    driver_.window().key_down(key);
    driver_.window().type(std::string(1, static_cast<char>(static_cast<int>(key) - 'A' + 'a')));
    driver_.window().key_up(key);
  }
  driver_.settle();
  EXPECT_EQ(driver_.app().screen().answer.typed, "-inf");
  EXPECT_EQ(driver_.session(), before);
  driver_.window().press({Key::escape});
  driver_.settle();
  EXPECT_EQ(driver_.session(), before) << "Escape gives the answer up, and nothing else";
  EXPECT_TRUE(driver_.app().screen().answer.typed.empty());
}

TEST_F(Exercise, CellsAreChosenWithTheMouse) {
  driver_.press(CommandId::toggle_cover_mode);
  driver_.settle();
  EXPECT_TRUE(screen_contains("Click or drag over cells to cover their numbers"));
  const auto from = driver_.cell("large", 2, 1);
  const auto to = driver_.cell("large", 2, 4);
  ASSERT_TRUE(from && to);
  driver_.window().drag(*from, *to);
  driver_.settle();
  EXPECT_EQ(covered().cells, (std::vector<StageCell>{{2, 1}, {2, 2}, {2, 3}, {2, 4}}));
  driver_.hover(*from);
  driver_.frames(3);
  EXPECT_TRUE(screen_contains("Click or drag to uncover it"));
  driver_.app().undo();
  driver_.settle();
  EXPECT_FALSE(covered().stage) << "a stroke is one step";
  driver_.press(CommandId::unpin);
  EXPECT_FALSE(driver_.app().screen().is(ClickMode::covering));
}

TEST(ExportSheet, NamesItsKindsInFull) {
  AppDriver driver({1280, 800});
  driver.settle();
  driver.app().screen().export_form.open = true;
  driver.settle();
  for (const char* kind : {"Figure", "Worksheet", "Window", "Trace", "Model"})
    EXPECT_FALSE(find_text(kind).empty()) << kind;
}

TEST_F(Exercise, IsWrittenWithItsSolution) {
  const TemporaryFolder folder;
  driver_.app().start_export({ExportKind::worksheet, FileType::png, 2, (folder / "").string()});
  driver_.settle();
  EXPECT_TRUE(std::filesystem::exists(folder / "headscope-worksheet.pdf"));
  EXPECT_TRUE(std::filesystem::exists(folder / "headscope-worksheet-solution.pdf"));
  EXPECT_FALSE(covered().stage) << "the window stays as it was";
}

}  // namespace
}  // namespace headscope
