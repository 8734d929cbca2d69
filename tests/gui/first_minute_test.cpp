// The cards of the first start, and the examples below the sentence.
#include <gtest/gtest.h>

#include <string>

#include "app/cli/model_places.h"
#include "core/engine/opening.h"
#include "core/tasks/task.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

using State = FirstMinute::State;

Settings first_start() {
  Settings settings;
  settings.session = opening_session(model_places()).value();
  settings.first_minute = FirstMinute::offered();
  return settings;
}

const FirstMinute& minute_of(const AppDriver& driver) {
  return const_cast<AppDriver&>(driver).app().screen().first_minute;
}

TEST(FirstMinuteCards, AreTickedByWhatIsDone) {
  AppDriver driver({1280, 800}, 1.0F, first_start());
  EXPECT_TRUE(screen_says("Hide later words"));
  for (const State state : minute_of(driver).steps) EXPECT_EQ(state, State::open);
  driver.press(CommandId::toggle_causal);
  EXPECT_EQ(minute_of(driver).at(FirstStep::mask), State::done);
  driver.press(CommandId::toggle_causal);
  EXPECT_EQ(minute_of(driver).at(FirstStep::mask), State::done) << "done is done";
  EXPECT_EQ(minute_of(driver).at(FirstStep::write_wide), State::open);
  driver.paste_sentence("The animal didn't cross the street because it was too wide");
  EXPECT_EQ(minute_of(driver).at(FirstStep::write_wide), State::done);
  driver.press(Chord{Key::escape});
  EXPECT_TRUE(screen_says("Watch it learn"));
  driver.app().dispatch(ToggleTraining{});
  driver.wait_until("training", [&] { return !minute_of(driver).is_open(); });
  driver.press(CommandId::train);
  driver.settle();
  EXPECT_TRUE(screen_says("Watch it learn")) << "nothing moves while the page stays";
  driver.app().apply(SetView{PageName::words});
  driver.settle();
  EXPECT_EQ(minute_of(driver), FirstMinute());
  EXPECT_FALSE(screen_says("Watch it learn"));
  EXPECT_EQ(driver.app().settings().first_minute, FirstMinute());
}

TEST(FirstMinuteCards, CanBeDismissedOneByOne) {
  AppDriver driver({1280, 800}, 1.0F, first_start());
  const auto train = find_letters("Watchitlearn");
  ASSERT_FALSE(train.empty());
  for (const auto& [title, step] :
       {std::pair{"Watchitlearn", FirstStep::train}, {"Hidelaterwords", FirstStep::mask}}) {
    const auto at = find_letters(title);
    ASSERT_FALSE(at.empty()) << title;
    // The cross is at the right end of the card, before the next card or the edge of the window. A card stays
    // in its place when another is dismissed.
    const float y = at.back().y + at.back().h / 2.0F;
    constexpr float gap = 8.0F;
    constexpr float left_of_title = 36.0F;
    const float end = step == FirstStep::train ? 1268.0F : train.back().x - left_of_title - gap;
    driver.click({end - 20.0F, y});
    EXPECT_EQ(minute_of(driver).at(step), State::gone) << title;
  }
  EXPECT_EQ(minute_of(driver).at(FirstStep::write_wide), State::open);
  EXPECT_FALSE(screen_says("Hide later words"));
}

TEST(FirstMinuteCards, AreThereAtTheFirstStartAndNeverAgain) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "settings.json";
  LoadedSettings loaded = load_settings(file);
  EXPECT_EQ(loaded.settings.first_minute, FirstMinute::offered());
  loaded.settings.first_minute.at(FirstStep::mask) = State::done;
  loaded.settings.first_minute.at(FirstStep::train) = State::gone;
  ASSERT_TRUE(save_settings(loaded.settings, file));
  loaded = load_settings(file);
  EXPECT_EQ(loaded.settings.first_minute.at(FirstStep::write_wide), State::open) << "still to be done";
  EXPECT_EQ(loaded.settings.first_minute.at(FirstStep::mask), State::gone);
  EXPECT_EQ(loaded.settings.first_minute.at(FirstStep::train), State::gone);
  loaded.settings.first_minute.at(FirstStep::write_wide) = State::done;
  ASSERT_TRUE(save_settings(loaded.settings, file));
  EXPECT_EQ(load_settings(file).settings.first_minute, FirstMinute());
  EXPECT_EQ(load_settings(SettingsPlace()).settings.first_minute, FirstMinute()) << "of a screenshot";
}

TEST(FirstMinuteCards, LeaveTheMapAndTheTokensTheirPlace) {
  struct Look {
    PixelSize size;
    float scale;
    bool has_room;
  };
  for (const Look& look : {Look{{1280, 800}, 1.0F, true}, Look{{1920, 1080}, 1.0F, true},
                           Look{{1920, 1080}, 2.0F, true}, Look{{1280, 800}, 2.0F, false}}) {
    AppDriver driver(look.size, look.scale, first_start());
    EXPECT_EQ(screen_says("Hide later words"), look.has_room) << look.size.width << " at " << look.scale;
    EXPECT_TRUE(driver.strip_token(7)) << look.size.width << " at " << look.scale;
    if (look.scale > 1.0F) continue;
    EXPECT_TRUE(driver.cell("large", 7, 1)) << look.size.width;
  }
}

TEST(ExampleMenu, ShowsTheSentenceAndUndoTakesItBack) {
  AppDriver driver({1280, 800}, 1.0F, first_start());
  driver.press(CommandId::open_reversing);
  driver.wait_until("the model", [&] { return driver.session().task == "reversing"; });
  driver.settle();
  const std::string before = driver.session().sentence;
  const auto& examples = task(TaskKind::reversing).example_sentences();
  ASSERT_GT(examples.size(), 1U);
  const std::string& other = examples.front() == before ? examples[1] : examples.front();
  const std::vector<Box> menu = find_text("Examples ▾");
  ASSERT_EQ(menu.size(), 1U);
  driver.click({menu.front().x + 4.0F, menu.front().y + 4.0F});
  const std::vector<Box> entry = find_text(other);
  ASSERT_FALSE(entry.empty()) << other;
  driver.click({entry.back().x + 4.0F, entry.back().y + 4.0F});
  EXPECT_EQ(driver.session().sentence, other);
  EXPECT_EQ(driver.session().target, task(TaskKind::reversing).target_of(other));
  EXPECT_TRUE(driver.session().selection.token);
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().sentence, before);
}

TEST(ExampleMenu, RandomWeightsHaveNone) {
  AppDriver driver({1280, 800}, 1.0F, first_start());
  EXPECT_FALSE(find_text("Examples ▾").empty());
  driver.press(CommandId::open_untrained);
  EXPECT_TRUE(find_text("Examples ▾").empty());
}

}  // namespace
}  // namespace headscope
