#include <gtest/gtest.h>

#include "core/engine/opening.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Settings pronouns_in_lines() {
  Settings settings;
  const auto session = startup_session({"/nowhere", HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(session);
  settings.session = reduce(*session, SetView{PageName::lines});
  return settings;
}

class LinesView : public testing::Test {
 protected:
  LinesView() : driver_({1600, 1000}, 1.0F, pronouns_in_lines()) { driver_.settle(); }

  /// The middle of a token's text on the screen.
  std::optional<Point> token(std::string_view text, bool is_key) {
    for (const Box& box : find_text(text)) {
      const Point at{box.x + box.w / 2.0F, box.y + box.h / 2.0F};
      driver_.hover(at);
      driver_.frames(3);
      const auto hovered = driver_.app().screen().hovered_line;
      if (hovered && hovered->is_key == is_key) return at;
    }
    return std::nullopt;
  }
  void ctrl_click(Point at) {
    driver_.window().key_down(Key::left_control);
    driver_.frames(2);
    driver_.click(at);
    driver_.window().key_up(Key::left_control);
    driver_.settle();
  }

  AppDriver driver_;
};

TEST_F(LinesView, TheMouseIsolatesATokensLines) {
  driver_.press(CommandId::unpin);
  driver_.settle();
  EXPECT_TRUE(screen_contains("From every token"));
  ASSERT_TRUE(token("animal", true));
  driver_.settle();
  EXPECT_TRUE(screen_contains("To “animal”"));
  ASSERT_TRUE(token("it", false));
  driver_.settle();
  EXPECT_TRUE(screen_contains("From “it”"));
  driver_.hover({2.0F, 2.0F});
  driver_.settle();
  EXPECT_TRUE(screen_contains("From every token"));
}

TEST_F(LinesView, ClicksSelectCtrlClicksAddAndEscapeClears) {
  const auto it = token("it", false);
  const auto street = token("street", false);
  const auto animal = token("animal", true);
  ASSERT_TRUE(it && street && animal);
  driver_.click(*street);
  driver_.settle();
  EXPECT_EQ(driver_.session().selection.token, 5);
  EXPECT_EQ(driver_.session().selection.picked, (PickedTokens{false, {5}}));
  ctrl_click(*it);
  EXPECT_EQ(driver_.session().selection.picked, (PickedTokens{false, {5, 7}}));
  driver_.hover({2.0F, 2.0F});
  driver_.settle();
  EXPECT_TRUE(screen_contains("From “street” and “it”"));
  EXPECT_TRUE(screen_contains("summed over these queries"));
  driver_.click(*animal);
  driver_.settle();
  EXPECT_EQ(driver_.session().selection.picked, (PickedTokens{true, {1}}));
  driver_.hover({2.0F, 2.0F});
  driver_.press(CommandId::unpin);
  driver_.settle();
  EXPECT_EQ(driver_.session().selection.picked, PickedTokens{});
  EXPECT_TRUE(screen_contains("From every token"));
}

TEST_F(LinesView, AHeadIsDrawnAloneOrWithOthers) {
  const auto chip = [&](const HeadIndex& place) -> std::optional<Point> {
    const std::string said = "Layer " + std::to_string(place.layer) + ", head " + std::to_string(place.head);
    for (const Box& box : find_text(head_name(place))) {
      const Point at{box.x + box.w / 2.0F, box.y + box.h / 2.0F};
      driver_.hover(at);
      driver_.frames(2);
      if (screen_contains(said)) return at;
    }
    return std::nullopt;
  };
  const auto second = chip({1, 2});
  ASSERT_TRUE(second);
  ctrl_click(*second);
  EXPECT_EQ(driver_.session().selection.heads, (std::vector<HeadIndex>{{1, 0}, {1, 2}}));
  EXPECT_TRUE(screen_contains("2 heads, a colour for each"));
  driver_.click(*second);
  driver_.settle();
  EXPECT_TRUE(driver_.session().selection.heads.empty());
  EXPECT_EQ(driver_.session().selection.head, 2);
}

TEST_F(LinesView, OptionsAreStepsOfUndo) {
  LinesOptions lines;
  lines.arcs = true;
  lines.hidden.first = true;
  driver_.app().apply(test::with(driver_.session(), lines));
  driver_.settle();
  EXPECT_TRUE(screen_contains("Hidden keys: the first token"));
  driver_.press(CommandId::undo);
  EXPECT_EQ(driver_.session().lines, LinesOptions{});
}

}  // namespace
}  // namespace headscope
