#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <variant>

#include "core/page/pages.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

class FilmOfTraining : public testing::Test {
 protected:
  /// Runs a short training to its end, on the Train page.
  FilmOfTraining() {
    driver.app().apply(SetSentence{"dog cat sun dog cat sun"});
    driver.app().dispatch(OpenBundled{"copying"});
    driver.wait_until("the model", [&] { return driver.session().task == "copying"; });
    driver.press(CommandId::train_reset);
    driver.app().apply(test::with(driver.session(),
                                  TrainingSettings{.steps = 40, .batch_size = 4, .learning_rate = 0.003F}));
    driver.press(PageName::train);
    driver.press(CommandId::train);
    driver.wait_until("the training", [&] {
      const auto& now = driver.app().scene().training.progress;
      return now && now->state == TrainingState::finished && steps() == 40;
    });
    driver.settle();
  }

  int steps() const { return driver.session().model ? driver.session().model->steps : -1; }
  bool is_playing() { return driver.app().screen().film.is_playing; }

  AppDriver driver;
};

TEST_F(FilmOfTraining, RunsThroughTheSnapshotsOnAnyPageAndEndsAtTheNewest) {
  driver.press(PageName::explore);
  const auto n_steps_of_undo = driver.app().scene().history.past().size();
  driver.window().press(command(CommandId::play_film).chord);
  std::set<int> seen;
  std::set<std::shared_ptr<const Trace>> traces;
  int before = -1;
  driver.wait_until("the film to begin", [&] { return is_playing(); });
  driver.wait_until("the film to end", [&] {
    if (is_playing()) {
      EXPECT_GE(steps(), before == 40 ? 0 : before) << "it goes forward";
      before = steps();
      seen.insert(steps());
      traces.insert(driver.app().trace());
    }
    return !is_playing();
  });
  driver.settle();
  EXPECT_EQ(steps(), 40);
  EXPECT_TRUE(seen.contains(0)) << "random weights";
  EXPECT_GT(seen.size(), 4U);
  EXPECT_GT(traces.size(), 3U) << "its maps are shown";
  EXPECT_EQ(driver.session().view, PageName::explore);
  EXPECT_EQ(driver.app().scene().history.past().size(), n_steps_of_undo) << "a film is no change";
}

TEST_F(FilmOfTraining, StopsWhereSomethingIsChangedAndNotWhereOneLooksAround) {
  driver.window().press(command(CommandId::play_film).chord);
  driver.wait_until("the film to begin", [&] { return is_playing(); });
  driver.window().press(command(PageName::heads).chord);
  driver.frames(6);
  EXPECT_TRUE(is_playing());
  driver.window().press(command(CommandId::toggle_causal).chord);
  driver.frames(6);
  EXPECT_FALSE(is_playing());
  const int at = steps();
  driver.frames(30);
  EXPECT_EQ(steps(), at);
  EXPECT_LT(at, 40);
  driver.press(CommandId::show_latest_weights);
  EXPECT_EQ(steps(), 40);
}

TEST_F(FilmOfTraining, DraggingOnTheCurveLooksBack) {
  const auto letters = find_letters("Loss,nats");
  ASSERT_FALSE(letters.empty());
  std::optional<Box> plot;
  for (const auto& [name, cache] : driver.app().screen().pages) {
    for (const HitRegion& region : cache.page.regions) {
      if (!plot && std::holds_alternative<StepsArea>(region.meaning)) plot = region.box;
    }
  }
  ASSERT_TRUE(plot);
  const auto description = find_letters("Alistofrandomwords");  // begins at the left edge of the page
  ASSERT_FALSE(description.empty());
  const auto at = [&](float share) {
    return Point{description.back().x + plot->x + share * plot->w, letters.back().y + 110.0F};
  };
  driver.window().mouse_move(at(0.5F).x, at(0.5F).y);
  driver.window().mouse_down();
  driver.settle();
  EXPECT_NEAR(steps(), 20, 6);
  driver.window().mouse_move(at(0.1F).x, at(0.1F).y);
  driver.settle();
  EXPECT_NEAR(steps(), 4, 5);
  driver.window().mouse_move(at(-0.5F).x, at(0.5F).y);
  driver.settle();
  EXPECT_EQ(steps(), 0) << "beside the chart its nearer end counts";
  driver.window().mouse_up();
  driver.settle();
  driver.window().mouse_move(at(0.9F).x, at(0.9F).y);
  driver.settle();
  EXPECT_EQ(steps(), 0) << "the mouse was let go";
  driver.click(at(0.995F));
  EXPECT_EQ(steps(), 40);
  EXPECT_TRUE(driver.app().scene().training.follows);
}

TEST(Film, WithoutATrainingThereIsNone) {
  AppDriver driver;
  driver.press(CommandId::play_film);
  EXPECT_FALSE(driver.app().screen().film.is_playing);
  EXPECT_TRUE(screen_contains("There is no training to play"));
}

}  // namespace
}  // namespace headscope
