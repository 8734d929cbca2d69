// Tests the cards of the first start, and the examples below the sentence.
#include <gtest/gtest.h>

#include <string>

#include "app/cli/lesson_command.h"
#include "core/engine/opening.h"
#include "core/scene/update.h"
#include "core/session/settings.h"
#include "core/system/process.h"
#include "core/tasks/task.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

using State = FirstMinute::State;

constexpr std::size_t write_wide = 0, mask = 1, let_write = 2;

Settings first_start() {
  Settings settings;
  settings.session = startup_session(bundled_model_folders()).value();
  settings.first_minute = first_minute_titles();
  return settings;
}

const FirstMinute& minute_of(const AppDriver& driver) {
  return const_cast<AppDriver&>(driver).app().screen().first_minute;
}

FirstMinute all_offered() {
  return offered(open_lesson(std::string(first_minute_lesson)).value(), first_minute_titles());
}

ConditionContext seen(const Scene& scene) {
  return {scene.session(), nullptr};
}

TEST(FirstMinute, WhatASceneShowsIsDone) {
  const FirstMinute offered = all_offered();
  ASSERT_EQ(offered.steps, (std::vector<State>{State::open, State::open, State::open}));
  Scene scene = start(offered.lesson->steps.front().session).scene;
  EXPECT_EQ(observed(offered, seen(scene)), offered);
  scene = update(scene, Edit{SetSentence{"the street was too WIDE"}}).scene;
  const FirstMinute written = observed(offered, seen(scene));
  EXPECT_EQ(written.steps, (std::vector<State>{State::done, State::open, State::open}));
  scene = update(scene, Edit{set_to("attention.causal", true)}).scene;
  scene = update(scene, SceneOrder::undo).scene;
  EXPECT_EQ(observed(written, seen(scene)), written) << "it is not so any more, and nobody saw it";
  scene = update(scene, SceneOrder::redo).scene;
  EXPECT_EQ(observed(written, seen(scene)).steps[1], State::done);
  const Update shown = update(scene, Edit{SetView{PageName::decoding}});
  EXPECT_EQ(observed(written, seen(shown.scene)).steps[2], State::open) << "this model does not write";
  const std::string writer(default_writing_model);
  scene =
      update(shown.scene, BundledRead{writer, open_model(writer, bundled_model_folders()).value(), ""}).scene;
  EXPECT_EQ(scene.session().sentence, "the street was too WIDE");
  EXPECT_EQ(observed(written, seen(scene)).steps[2], State::done);
}

TEST(FirstMinute, AModelThatIsCausalByNatureTicksNothing) {
  const FirstMinute offered = all_offered();
  Scene scene = start(offered.lesson->steps.front().session).scene;
  scene = update(scene, Edit{load_preset("GPT-2")}).scene;
  ASSERT_TRUE(scene.session().attention.mask.causal);
  EXPECT_EQ(observed(offered, seen(scene)), offered);
}

TEST(FirstMinute, WhatWasDismissedStaysSo) {
  const FirstMinute dismissed = offered(all_offered().lesson, {});
  EXPECT_FALSE(dismissed.is_open());
  Scene scene = start(dismissed.lesson->steps.front().session).scene;
  scene = update(scene, Edit{SetSentence{"wide"}}).scene;
  EXPECT_EQ(observed(dismissed, seen(scene)), dismissed);
}

/// A click on a card changes these settings.
TEST(FirstMinute, TheSettingsThatAnAnswerShowsAnswerItsQuestion) {
  const FirstMinute offered = all_offered();
  int n_shown = 0;
  for (const LessonStep& step : offered.lesson->steps) {
    if (!step.question->shown) continue;
    ++n_shown;
    const Session after =
        reduce(step.session, ChangeSettings{changes_between(step.session, *step.question->shown)});
    EXPECT_TRUE(holds(step.question->expect, {after, nullptr})) << step.title;
    EXPECT_EQ(after.model, step.session.model);
  }
  EXPECT_EQ(n_shown, 3);
}

TEST(FirstMinuteCards, AreTickedByWhatIsDone) {
  AppDriver driver({1280, 800}, 1.0F, first_start());
  EXPECT_TRUE(screen_contains("Hide later words"));
  for (const State state : minute_of(driver).steps) EXPECT_EQ(state, State::open);
  driver.press(CommandId::toggle_causal);
  EXPECT_EQ(minute_of(driver).steps[mask], State::done);
  driver.press(CommandId::toggle_causal);
  EXPECT_EQ(minute_of(driver).steps[mask], State::done) << "done is done";
  EXPECT_EQ(minute_of(driver).steps[write_wide], State::open);
  driver.paste_sentence("The animal didn't cross the street because it was too wide");
  EXPECT_EQ(minute_of(driver).steps[write_wide], State::done);
  driver.press(Chord{Key::escape});
  EXPECT_TRUE(screen_contains("Let it write"));
  driver.app().apply(SetView{PageName::decoding});
  driver.wait_until("for the model", [&] { return driver.session().model->name == default_writing_model; });
  driver.settle();
  EXPECT_EQ(minute_of(driver).steps[let_write], State::open) << "nothing has been written";
  const auto button = find_letters("Append");
  ASSERT_FALSE(button.empty());
  driver.click({button.front().x + 4.0F, button.front().y + 2.0F});
  driver.settle();
  EXPECT_FALSE(minute_of(driver).is_open());
  EXPECT_TRUE(screen_contains("Let it write")) << "nothing moves while the page stays";
  driver.app().apply(SetView{PageName::words});
  driver.settle();
  EXPECT_EQ(minute_of(driver), FirstMinute());
  EXPECT_FALSE(screen_contains("Let it write"));
  EXPECT_TRUE(driver.app().settings().first_minute.empty());
}

TEST(FirstMinuteCards, DoWhatTheySayWhenTheyAreClicked) {
  AppDriver driver({1280, 800}, 1.0F, first_start());
  driver.app().apply(SelectToken{3});
  for (const auto& [title, step] :
       {std::pair{"Hidelaterwords", mask}, {"Replace“tired”with“wide”", write_wide}}) {
    const auto at = find_letters(title);
    ASSERT_FALSE(at.empty()) << title;
    driver.click({at.back().x + 4.0F, at.back().y + at.back().h / 2.0F});
    EXPECT_EQ(minute_of(driver).steps[step], State::done) << title;
    if (step != mask) continue;
    EXPECT_EQ(driver.session().selection.token, 3) << "it changes only the mask";
  }
  EXPECT_TRUE(driver.session().attention.mask.causal) << "one leaves what the other did";
  EXPECT_TRUE(driver.session().sentence.ends_with("wide"));
  const auto at = find_letters("Letitwrite");
  ASSERT_FALSE(at.empty());
  driver.click({at.back().x + 4.0F, at.back().y + at.back().h / 2.0F});
  EXPECT_EQ(driver.session().view, PageName::decoding);
  EXPECT_EQ(minute_of(driver).steps[let_write], State::open) << "nothing has been written";
  driver.settle();
  EXPECT_TRUE(find_letters("Replace“tired”with“wide”").empty()) << "it is about the other model";
}

TEST(FirstMinuteCards, OfferToReplaceOnlyWhatIsInTheSentence) {
  AppDriver driver({1280, 800}, 1.0F, first_start());
  driver.paste_sentence("The dog is here");
  driver.settle();
  EXPECT_TRUE(find_letters("Replace“tired”with“wide”").empty());
  EXPECT_FALSE(find_letters("Hidelaterwords").empty());
  driver.paste_sentence("The dog is tired");
  driver.settle();
  EXPECT_FALSE(find_letters("Replace“tired”with“wide”").empty());
}

TEST(FirstMinuteCards, CanBeDismissedOneByOne) {
  AppDriver driver({1280, 800}, 1.0F, first_start());
  const auto last = find_letters("Letitwrite");
  ASSERT_FALSE(last.empty());
  for (const auto& [title, step] : {std::pair{"Letitwrite", let_write}, {"Hidelaterwords", mask}}) {
    const auto at = find_letters(title);
    ASSERT_FALSE(at.empty()) << title;
    // The cross is at the right end of the card, before the next card or the edge of the window. A card stays
    // in its place when another is dismissed.
    const float y = at.back().y + at.back().h / 2.0F;
    constexpr float gap = 8.0F;
    constexpr float left_of_title = 36.0F;
    const float end = step == let_write ? 1268.0F : last.back().x - left_of_title - gap;
    driver.click({end - 20.0F, y});
    EXPECT_EQ(minute_of(driver).steps[step], State::dismissed) << title;
  }
  EXPECT_EQ(minute_of(driver).steps[write_wide], State::open);
  EXPECT_FALSE(screen_contains("Hide later words"));
}

TEST(FirstMinuteCards, AreThereAtTheFirstStartAndNeverAgain) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "settings.json";
  LoadedSettings loaded = load_settings(file);
  ASSERT_EQ(loaded.settings.first_minute.size(), 3U);
  const std::string left = loaded.settings.first_minute.front();
  loaded.settings.first_minute = {left};
  ASSERT_TRUE(save_settings(loaded.settings, file));
  loaded = load_settings(file);
  EXPECT_EQ(loaded.settings.first_minute, std::vector{left}) << "still to be done";
  loaded.settings.first_minute.clear();
  ASSERT_TRUE(save_settings(loaded.settings, file));
  EXPECT_TRUE(load_settings(file).settings.first_minute.empty());
  EXPECT_TRUE(load_settings(SettingsPaths()).settings.first_minute.empty()) << "of a screenshot";
}

TEST(FirstMinuteCards, LeaveTheMapAndTheTokensTheirPlace) {
  struct Look {
    PixelSize size;
    float scale;
    bool has_room;
  };
  for (const Look& look : {Look{{1280, 800}, 1.0F, true}, Look{{1920, 1080}, 1.0F, true},
                           Look{{1920, 1080}, 2.0F, false}, Look{{1280, 800}, 2.0F, false}}) {
    AppDriver driver(look.size, look.scale, first_start());
    EXPECT_EQ(screen_contains("Hide later words"), look.has_room) << look.size.width << " at " << look.scale;
    // In a low window, the map comes before the tokens.
    EXPECT_TRUE(look.scale > 1.0F ? !find_text(".65").empty() : driver.strip_token(7).has_value())
        << look.size.width << " at " << look.scale;
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
