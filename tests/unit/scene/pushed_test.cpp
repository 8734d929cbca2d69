// What another program pushes one after another is one subject, at which one can look back.
#include "tests/unit/scene/pushed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/engine/engine.h"
#include "core/scene/film.h"
#include "core/scene/update.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

class Pushed : public testing::Test {
 protected:
  void play(const Event& event) { scene = update(scene, event).scene; }
  void push(int step) { play(CapturePushed{test::pushed_capture(step)}); }
  std::string shown() const { return scene.session().model ? scene.session().model->title() : ""; }
  std::size_t n_undo() const { return scene.history.past().size(); }

  Scene scene = start(default_session()).scene;
};

TEST_F(Pushed, TwoHundredStepsAreOneStepOfUndoAndLookedBackAtByName) {
  scene.history.apply(set_to("selection.head", 1), false);
  const std::size_t before = n_undo();
  for (int step = 0; step < 200; ++step) {
    push(step);
    EXPECT_EQ(is_behind(scene), step > 0);
    play(SceneOrder::show_newest);
    ASSERT_EQ(shown(), "step " + std::to_string(step));
  }
  EXPECT_EQ(n_undo(), before + 1);
  EXPECT_EQ(scene.session().selection.head, 1);
  const std::vector<Snapshot> film = film_of(scene);
  EXPECT_LE(film.size(), TrainingProgress::max_kept + 1);
  EXPECT_GT(film.size(), TrainingProgress::max_kept / 2);
  EXPECT_EQ(snapshot_name(*film.front()), "step 0");
  EXPECT_EQ(snapshot_name(*film.back()), "step 199");
  for (std::size_t i = 2; i + 1 < film.size(); ++i)
    EXPECT_EQ(film[i]->steps - film[i - 1]->steps, film[1]->steps) << "evenly thinned out";
  for (const Snapshot& each : film) {
    play(Edit{ShowWeights{each}});
    EXPECT_EQ(shown(), snapshot_name(*each));
    Engine engine;
    const auto trace = engine.compute(request_of(scene.session()));
    ASSERT_TRUE(trace) << trace.error().message;
    test::expect_pushed(**trace, each->steps);
  }
}

TEST_F(Pushed, LookingBackWaitsUntilTheNewestIsFollowedAgain) {
  for (int step = 0; step < 5; ++step) push(step);
  play(SceneOrder::show_newest);
  play(Edit{ShowWeights{film_of(scene)[2]}});
  push(5);
  play(SceneOrder::show_newest);
  EXPECT_EQ(shown(), "step 2");
  EXPECT_EQ(film_of(scene).size(), 6U);
  play(SceneOrder::follow_newest);
  play(SceneOrder::show_newest);
  EXPECT_EQ(shown(), "step 5");
  // What was changed on the way is taken back without going back in time.
  play(Edit{set_to("picture.numbers", false)});
  push(6);
  play(SceneOrder::show_newest);
  play(SceneOrder::undo);
  play(SceneOrder::show_newest);
  EXPECT_EQ(shown(), "step 6");
  play(SceneOrder::undo);
  EXPECT_EQ(shown(), "") << "before the first push";
  EXPECT_TRUE(film_of(scene).empty());
  play(SceneOrder::redo);
  play(SceneOrder::show_newest);
  EXPECT_EQ(shown(), "step 6");
}

TEST_F(Pushed, AnotherTextAndAnotherModelAreOtherSubjects) {
  push(0);
  push(1);
  const std::size_t before = n_undo();
  play(CapturePushed{test::pushed_capture(2, R"(["x", " y"])", 2)});
  EXPECT_EQ(shown(), "step 2");
  EXPECT_EQ(n_undo(), before + 1);
  EXPECT_EQ(film_of(scene).size(), 1U);
  play(SceneOrder::undo);
  EXPECT_TRUE(film_of(scene).empty()) << "the steps of the text before are not kept";
  EXPECT_FALSE(is_behind(scene));
  play(Edit{OpenModel{nullptr}});
  play(CapturePushed{test::pushed_capture(3, R"(["x", " y"])", 2)});
  EXPECT_EQ(shown(), "step 3") << "what is pushed is shown, whatever was open";
  EXPECT_EQ(film_of(scene).size(), 2U);
}

TEST_F(Pushed, LargeCapturesTakeNoMoreThanAFixedRoom) {
  constexpr int n = 1024;
  std::string tokens = R"(["a")";
  for (int i = 1; i < n; ++i) tokens += R"(, " a")";
  const auto large = test::pushed_capture(0, (tokens + "]").c_str(), n);
  const double each = large->resident_bytes();
  EXPECT_EQ(each, 4.0 * test::pushed_layers * test::pushed_heads * n * n);
  for (int step = 0; step < 100; ++step) {
    play(CapturePushed{large});
    const auto n_kept = static_cast<double>(scene.pushed.kept.all().size());
    ASSERT_LE(n_kept * each, 512.0 * 1024.0 * 1024.0) << step;
  }
  EXPECT_GT(scene.pushed.kept.all().size(), 10U);
}

TEST(SnapshotHistory, AreSpreadEvenlyFromTheFirst) {
  const auto snapshot = [](int steps) {
    return std::make_shared<const TrainedModel>(
        TrainedModel{"", "", steps, 0, 0, {}, *Vocabulary::make({"word"}), {}, {}});
  };
  for (const std::size_t most : {2U, 3U, 48U}) {
    SnapshotHistory kept(most);
    for (int step = 0; step < 1000; ++step) {
      if (kept.accepts(step)) kept.keep(snapshot(step));
      const std::vector<Snapshot>& all = kept.all();
      ASSERT_LE(all.size(), most);
      ASSERT_EQ(all.front()->steps, 0);
      for (std::size_t i = 1; i < all.size(); ++i)
        ASSERT_EQ(all[i]->steps, static_cast<int>(i) * all[1]->steps);
    }
    EXPECT_GT(2 * kept.all().size(), most);
  }
}

}  // namespace
}  // namespace headscope
