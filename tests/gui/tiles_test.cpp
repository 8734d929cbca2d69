// Tests the page of tiles: its steps, playing them, and other sizes of tiles.
#include <gtest/gtest.h>

#include "core/session/settings.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Settings on_tiles() {
  Settings settings;
  settings.session = default_session();
  settings.session.view = PageName::tiles;
  return settings;
}

class Tiles : public testing::Test {
 protected:
  void press(const char* label) {
    const std::vector<Box> found = find_text(label);
    ASSERT_FALSE(found.empty()) << label;
    driver_.click({found.front().x + 3.0F, found.front().y + 3.0F});
  }

  AppDriver driver_{{1600, 1000}, 1.0F, on_tiles()};
};

TEST_F(Tiles, ShowWhatIsKeptAfterEach) {
  driver_.frames(2);
  EXPECT_TRUE(screen_contains("Tile 1 of 9: queries 0–3, keys 0–3"));
  EXPECT_TRUE(screen_contains("Kept for each query"));
  driver_.app().apply(set_to("tiles.step", 6));
  driver_.settle();
  EXPECT_TRUE(screen_contains("Tile 6 of 9: queries 4–7, keys 8–10"));
  driver_.app().apply(test::with(driver_.session(), TilesOptions{1024, 1024, 1}));
  driver_.settle();
  EXPECT_TRUE(screen_contains("Tile 1 of 1: queries 0–10, keys 0–10")) << "tiles are no larger than the map";
  EXPECT_EQ(driver_.session().tiles.step, 1);
  driver_.app().undo();
  driver_.settle();
  EXPECT_TRUE(screen_contains("of 9")) << "how they are cut is undone";
}

TEST_F(Tiles, PlayToTheLastAndStop) {
  driver_.app().apply(set_to("tiles.step", 7));
  driver_.settle();
  press("Play");
  driver_.wait_until("for the last tile", [&] { return driver_.session().tiles.step == 9; });
  driver_.frames(3);
  ASSERT_FALSE(find_text("Play").empty()) << "it has stopped";
  press("Play");
  EXPECT_FALSE(find_text("Pause").empty()) << "from the last tile it begins anew";
  EXPECT_LT(driver_.session().tiles.step, 9);
}

TEST_F(Tiles, OneSizeLeavesTheOtherAsItWasSet) {
  driver_.app().apply(test::with(driver_.session(), TilesOptions{512, 300, 1}));
  driver_.settle();
  const std::vector<Box> slider = find_text("queries of a tile");
  ASSERT_EQ(slider.size(), 1U);
  driver_.click({slider.front().x + 30.0F, slider.front().y + 27.0F});
  EXPECT_LT(driver_.session().tiles.queries, 12);
  EXPECT_EQ(driver_.session().tiles.keys, 300);
}

TEST_F(Tiles, ArrowsStepThroughThemWhilePresented) {
  driver_.press(CommandId::present);
  driver_.window().press({Key::right});
  driver_.window().press({Key::right});
  driver_.window().press({Key::left});
  driver_.settle();
  EXPECT_EQ(driver_.session().tiles.step, 2);
  EXPECT_EQ(driver_.session().selection.stage, StageKind::weights) << "what other pages show stays";
}

TEST_F(Tiles, SayWhyThereAreNone) {
  Session session = driver_.session();
  session.attention.softmax = SoftmaxAxis::queries;
  driver_.app().apply(test::with(driver_.session(), session.attention));
  driver_.settle();
  EXPECT_TRUE(screen_contains("Choose softmax over keys"));
  EXPECT_TRUE(find_text("Play").empty());
}

}  // namespace
}  // namespace headscope
