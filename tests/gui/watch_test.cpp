// Tests the page for watching one row: its steps, playing them, and other rows.
#include <gtest/gtest.h>

#include "core/session/settings.h"
#include "core/text/number_text.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

Settings on_watch() {
  Settings settings;
  settings.session = default_session();
  settings.session.view = PageName::watch;
  settings.session.watch_step = 1;
  return settings;
}

class Watch : public testing::Test {
 protected:
  void press(const char* label) {
    const std::vector<Box> found = find_text(label);
    ASSERT_FALSE(found.empty()) << label;
    driver_.click({found.front().x + 3.0F, found.front().y + 3.0F});
    driver_.settle();
  }
  void go_to(int step) {
    driver_.app().apply(set_to("watch.step", step));
    driver_.settle();
  }
  AppDriver driver_{{1600, 1000}, 1.0F, on_watch()};
};

TEST_F(Watch, EachStepAddsWhatItComputes) {
  EXPECT_TRUE(screen_contains("meets the key of every word"));
  EXPECT_FALSE(screen_contains("raw score"));
  go_to(3);
  EXPECT_TRUE(screen_contains("raw score"));
  EXPECT_FALSE(screen_contains("weight × value"));
  const StageId raw = driver_.session().selection.at(StageKind::raw);
  const int query = driver_.session().selection.token.value();
  for (int key = 0; key < driver_.trace().extent(raw).cols; ++key)
    EXPECT_TRUE(screen_contains(rounded_text(driver_.trace().number(raw, query, key)))) << key;
  go_to(9);
  EXPECT_TRUE(screen_contains("weight × value"));
  EXPECT_TRUE(screen_contains("output"));
  EXPECT_FALSE(screen_contains("changes this row after its softmax"));
}

TEST_F(Watch, PlaysToTheLastStepAndStops) {
  go_to(8);
  press("Play");
  driver_.wait_until("the last step", [&] { return driver_.session().watch_step == last_watch_step; });
  driver_.frames(3);
  EXPECT_TRUE(find_text("Pause").empty());
}

/// What is exported is the step that is shown.
TEST_F(Watch, PausesWhileItIsExported) {
  go_to(3);
  press("Play");
  driver_.press(CommandId::export_sheet);
  driver_.settle();
  EXPECT_TRUE(screen_contains("step " + std::to_string(driver_.session().watch_step) + " of " +
                              std::to_string(last_watch_step)));
  driver_.press(Chord{Key::escape});
  driver_.settle();
  EXPECT_FALSE(find_text("Play").empty());
  EXPECT_TRUE(find_text("Pause").empty());
}

/// Bars are on their way while a step happens, but only computed numbers are written.
TEST_F(Watch, AStepThatFollowsHappensBitByBit) {
  go_to(3);
  driver_.app().apply(set_to("watch.step", 4));
  driver_.frames(2);
  const StageId scaled = driver_.session().selection.at(StageKind::scaled);
  const std::string number =
      rounded_text(driver_.trace().number(scaled, driver_.session().selection.token.value(), 0));
  EXPECT_FALSE(screen_contains(number));
  driver_.wait_until("the end of the step", [&] { return screen_contains(number); });
}

TEST_F(Watch, PlaysAgainInALoop) {
  go_to(last_watch_step - 1);
  press("Loop");
  press("Play");
  driver_.wait_until("the first step", [&] { return driver_.session().watch_step == 1; });
  EXPECT_FALSE(find_text("Pause").empty());
}

TEST_F(Watch, AClickOnAWordWatchesItsRow) {
  press("street");
  EXPECT_EQ(driver_.session().selection.token, 5);
  EXPECT_TRUE(screen_contains("How does “street” find out where to look?"));
}

TEST_F(Watch, AGivenWeightIsSaid) {
  Interventions changes;
  changes.weights.push_back({{Stack::encoder, AttentionKind::self, 0, 0}, {7, 1}, 0.5F});
  driver_.app().apply(set_interventions(changes));
  go_to(9);
  EXPECT_TRUE(screen_contains("changes this row after its softmax"));
}

TEST_F(Watch, GivenScoresHaveNoQueryAndKeyBehindThem) {
  const StageId raw = driver_.session().selection.at(StageKind::raw);
  OwnedMatrix scores;
  scores.rows = scores.cols = driver_.trace().extent(raw).rows;
  scores.values.assign(static_cast<std::size_t>(scores.rows) * static_cast<std::size_t>(scores.cols), 1.0F);
  driver_.app().apply(SetGiven{path(raw), scores});
  driver_.settle();
  EXPECT_TRUE(screen_contains("given by hand"));
}

TEST_F(Watch, StepsAreNotUndone) {
  driver_.app().apply(SetSentence{"a b"});
  driver_.settle();
  driver_.app().undo();
  go_to(5);
  driver_.app().redo();
  driver_.settle();
  EXPECT_EQ(driver_.session().sentence, "a b") << "watching keeps what can be redone";
}

}  // namespace
}  // namespace headscope
