// A window that a training loop pushes its attention into.
#include "tests/unit/scene/pushed.h"

#include <gtest/gtest.h>

#include "core/checkpoint/saved_session.h"
#include "core/scene/film.h"
#include "core/system/owned_folder.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class PushedWindow : public testing::Test {
 protected:
  void push(int step) {
    driver_.app().dispatch(CapturePushed{test::pushed_capture(step)});
    driver_.frames(1);
  }
  void click(const char* text) {
    const std::vector<Box> found = find_text(text);
    ASSERT_FALSE(found.empty()) << text;
    driver_.click({found.front().x + 2.0F, found.front().y + 4.0F});
    driver_.settle();
  }
  void expect_shown(int step) {
    driver_.settle();
    EXPECT_EQ(driver_.session().model->title(), "step " + std::to_string(step));
    EXPECT_FALSE(find_text("step" + std::to_string(step)).empty());
    test::expect_pushed(driver_.trace(), step);
  }

  AppDriver driver_;
};

TEST_F(PushedWindow, ATimeLineGoesBackAndForthAndFollowsAgain) {
  driver_.press(PageName::heads);
  push(0);
  EXPECT_TRUE(find_text("Back to latest").empty()) << "there is nothing to look back at yet";
  for (int step = 1; step < 200; ++step) push(step);
  expect_shown(199);
  EXPECT_EQ(driver_.session().view, PageName::heads);
  click("‹");
  expect_shown(192);
  click("‹");
  expect_shown(184);
  push(200);
  expect_shown(184);
  click("›");
  expect_shown(192);
  click("Back to latest");
  expect_shown(200);
  push(201);
  expect_shown(201);
  click("Play as a film");
  driver_.wait_until("the film to begin", [&] { return driver_.session().model->steps == 0; });
  driver_.wait_until("the film to end", [&] { return !driver_.app().screen().film.is_playing; });
  expect_shown(201);
}

TEST_F(PushedWindow, AnEarlierStepIsHeldAndComparedWithTheNewest) {
  for (int step = 0; step < 3; ++step) push(step);
  driver_.settle();
  click("‹");
  driver_.press(CommandId::hold);
  driver_.press(CommandId::show_latest_weights);
  push(3);
  expect_shown(3);
  ASSERT_EQ(driver_.session().compared.size(), 1U);
  EXPECT_EQ(driver_.session().compared.front().model->title(), "step 1");
  driver_.press(PageName::compare);
  const auto& map = driver_.app().screen().memo.maps["compare difference"];
  EXPECT_NEAR(map.key.against->number(map.key.stage, 1, 2), test::pushed_weight(1, 0, 0, 1, 2, 4), 0.0F);
}

TEST_F(PushedWindow, ASceneHoldsWhatWasPushed) {
  push(0);
  push(7);
  driver_.settle();
  const TemporaryFolder folder;
  const fs::path scene = folder / "seen.headscope";
  const auto written = write_scene(scene, driver_.session());
  ASSERT_TRUE(written) << written.error().message;
  driver_.app().dispatch(OpenBundled{"copying"});
  driver_.settle();
  driver_.app().dispatch(OpenFile{scene.string()});
  driver_.wait_until("the scene", [&] { return driver_.session().model->is_capture(); });
  expect_shown(7);
  EXPECT_FALSE(screen_contains("could not be opened"));
}

TEST(PushedInACrash, WhatWasPushedIsThereAgain) {
  const TemporaryFolder state;
  {
    Scene scene{default_session()};
    scene = update(scene, CapturePushed{test::pushed_capture(5)}).scene;
    auto owned = OwnedFolder::make(state / "s");
    ASSERT_TRUE(owned);
    const auto saved = save_session(owned->path(), scene.session());
    ASSERT_TRUE(saved) << saved.error().message;
  }
  AppDriver driver({1280, 800}, 1.0F, {}, state / "s");
  driver.settle();
  EXPECT_TRUE(screen_contains("Headscope quit unexpectedly"));
  driver.app().dispatch(OpenRecovery{fs::directory_iterator(state / "s")->path().string()});
  driver.wait_until("the session",
                    [&] { return driver.session().model && driver.session().model->is_capture(); });
  driver.settle();
  EXPECT_EQ(driver.session().model->title(), "step 5");
  test::expect_pushed(driver.trace(), 5);
  driver.app().dispatch(CapturePushed{test::pushed_capture(6)});
  driver.settle();
  EXPECT_EQ(driver.session().model->title(), "step 6") << "the loop goes on";
}

}  // namespace
}  // namespace headscope
