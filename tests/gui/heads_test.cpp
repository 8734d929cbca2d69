#include <gtest/gtest.h>

#include "core/engine/opening.h"
#include "core/page/heads/heads_page.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Settings pronouns_on_heads() {
  Settings settings;
  const auto session = startup_session({"/nowhere", HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(session);
  settings.session = reduce(*session, SetView{PageName::heads});
  return settings;
}

class HeadsView : public testing::Test {
 protected:
  HeadsView() : driver_({1600, 1000}, 1.0F, pronouns_on_heads()) { driver_.settle(); }

  HeadIndex selected() {
    const Selection& selection = driver_.session().selection;
    return {selection.layer, selection.head};
  }
  /// A point on the tile of a head that is not selected, recognised by the tooltip that names the head.
  std::optional<Point> tile(const HeadIndex& place) {
    const std::string said = "Layer " + std::to_string(place.layer) + ", head " + std::to_string(place.head);
    for (const Box& box : find_letters(head_name(place))) {
      const Point at{box.x + box.w / 2.0F, box.y + box.h / 2.0F};
      driver_.hover(at);
      driver_.frames(2);
      if (screen_contains(said) && screen_contains("Click to open it")) return at;
    }
    return std::nullopt;
  }
  void press_and_settle(Key key) {
    driver_.press(Chord{key});
    driver_.settle();
  }

  AppDriver driver_;
};

TEST_F(HeadsView, AClickOpensAHeadAndChangesNothingElse) {
  driver_.app().apply(PinCell{{driver_.session().selection.at(StageKind::weights), 7, 1}});
  driver_.settle();
  const Session before = driver_.session();
  ASSERT_TRUE(before.selection.token && before.selection.pin);
  const auto at = tile({0, 2});
  ASSERT_TRUE(at);
  driver_.click(*at);
  driver_.settle();
  Session expected = before;
  expected.selection.layer = 0;
  expected.selection.head = 2;
  expected.selection.pin->stage.layer = 0;
  expected.selection.pin->stage.head = 2;
  EXPECT_EQ(driver_.session(), expected) << "the token and the pinned cell stay, in that head";
  EXPECT_EQ(driver_.app().screen().memo.maps["large"].key.stage,
            driver_.session().selection.at(StageKind::weights));
}

TEST_F(HeadsView, ArrowKeysMoveAcrossLayersAndHeads) {
  driver_.app().apply(open_head({0, 0}));
  driver_.settle();
  driver_.hover({2.0F, 2.0F});
  press_and_settle(Key::right);
  EXPECT_EQ(selected(), (HeadIndex{0, 1}));
  press_and_settle(Key::down);
  EXPECT_EQ(selected(), (HeadIndex{1, 1}));
  press_and_settle(Key::left);
  EXPECT_EQ(selected(), (HeadIndex{1, 0}));
  press_and_settle(Key::up);
  EXPECT_EQ(selected(), (HeadIndex{0, 0}));
  driver_.press(PageName::explore);
  press_and_settle(Key::right);
  EXPECT_EQ(selected(), (HeadIndex{0, 0})) << "on other pages arrows are for what has the keyboard";
}

TEST_F(HeadsView, SortingIsAStepAndShowsTheMostFirst) {
  HeadsOptions heads = driver_.session().heads;
  heads.sorted_by = HeadMeasure::noun;
  driver_.app().apply(test::with(driver_.session(), heads));
  driver_.settle();
  EXPECT_TRUE(screen_contains("highest pronoun"));
  const auto tiles = [&] {
    std::vector<HeadIndex> places;
    for (const HitRegion& region : driver_.app().screen().pages[PageName::heads].page.regions) {
      if (const auto* one = std::get_if<HeadIndex>(&region.meaning)) places.push_back(*one);
    }
    return places;
  };
  ASSERT_EQ(tiles().size(), 8U);
  EXPECT_EQ(tiles().front(), (HeadIndex{driver_.session().model->layer, driver_.session().model->head}));
  driver_.press(CommandId::undo);
  EXPECT_EQ(driver_.session().heads, HeadsOptions{});
  driver_.settle();
  EXPECT_EQ(tiles().front(), (HeadIndex{0, 0}));
}

TEST_F(HeadsView, CtrlClickPicksSeveralForOneMap) {
  for (const HeadIndex place : {HeadIndex{0, 1}, HeadIndex{0, 3}}) {
    const auto at = tile(place);
    ASSERT_TRUE(at);
    driver_.window().key_down(Key::left_control);
    driver_.frames(2);
    driver_.click(*at);
    driver_.window().key_up(Key::left_control);
    driver_.frames(2);
  }
  EXPECT_EQ(driver_.session().selection.heads, (std::vector<HeadIndex>{{0, 1}, {0, 3}}));
  EXPECT_EQ(selected(), (HeadIndex{1, 0})) << "picking opens nothing";
  HeadsOptions heads = driver_.session().heads;
  heads.combine = Combine::max;
  driver_.app().apply(test::with(driver_.session(), heads));
  driver_.settle();
  EXPECT_TRUE(screen_contains("Largest weights of heads 0.1, 0.3"));
  const auto release = find_letters("Release the 2 picked heads");
  ASSERT_FALSE(release.empty());
  driver_.click({release.front().x + 20.0F, release.front().y + release.front().h / 2.0F});
  driver_.settle();
  EXPECT_TRUE(driver_.session().selection.heads.empty());
}

TEST_F(HeadsView, MeasuresOnTheTaskInAJob) {
  HeadsOptions heads = driver_.session().heads;
  heads.measured_on = MeasuredOn::task;
  driver_.app().apply(test::with(driver_.session(), heads));
  PageTools tools{driver_.app().measure(), 0, driver_.app().screen().memo, [](const Job&) {}};
  driver_.wait_until("the heads are measured", [&] {
    return head_values(driver_.app().screen().page_inputs, tools).on == "200 held-out sentences of its task";
  });
}

}  // namespace
}  // namespace headscope
