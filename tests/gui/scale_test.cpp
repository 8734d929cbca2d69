// Tests the page of the scale: its key opens it, a click selects another row, a head's line selects the head,
// and a button opens a trained model.
#include <gtest/gtest.h>

#include "app/cli/resource_loader.h"
#include "core/engine/opening.h"
#include "core/session/settings.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

Settings on_scale() {
  Settings settings;
  settings.session = default_session();
  settings.session.view = PageName::scale;
  settings.session.picture.details = true;
  return settings;
}

class Scale : public testing::Test {
 protected:
  AppDriver driver_{{1600, 2600}, 1.0F, on_scale()};
};

TEST_F(Scale, IsReachedByItsKey) {
  driver_.app().apply(SetView{PageName::explore});
  driver_.settle();
  driver_.window().press(command(PageName::scale).chord);
  driver_.settle();
  EXPECT_EQ(driver_.session().view, PageName::scale);
  EXPECT_TRUE(screen_contains("Why are scores divided by √d_head?"));
}

TEST_F(Scale, KeepsTheSelectedRowAndNamesOneInWhichTheDivisionMatters) {
  driver_.app().apply(
      OpenSession{reduce(default_session(), opening_action(files().model("pronouns").value()))});
  driver_.settle();
  ASSERT_EQ(driver_.session().selection.token, 7) << "one score is far ahead in the row of “it”";
  driver_.press(PageName::scale);
  EXPECT_EQ(driver_.session().selection.token, 7);
  EXPECT_TRUE(screen_contains("the largest weight of “it”"));
  EXPECT_TRUE(screen_contains("Click “too” above"));
}

TEST_F(Scale, AClickOnATokenShowsItsRow) {
  driver_.app().apply(SelectToken{7});
  driver_.settle();
  EXPECT_TRUE(screen_contains("the largest weight of “it”"));
  const std::vector<Box> chips = find_text("street");
  ASSERT_FALSE(chips.empty());
  // The sentence is also above the page, so only one of these chips belongs to the page.
  for (const Box& chip : chips) {
    driver_.click({chip.x + 3.0F, chip.y + 3.0F});
    if (driver_.session().selection.token == 5) break;
  }
  EXPECT_EQ(driver_.session().selection.token, 5);
  EXPECT_TRUE(screen_contains("the largest weight of “street”"));
}

TEST_F(Scale, ALineOpensItsHead) {
  driver_.settle();
  const std::vector<Box> lines = find_text("0.3");
  ASSERT_FALSE(lines.empty());
  for (const Box& line : lines) {
    driver_.click({line.x + 3.0F, line.y + 3.0F});
    if (driver_.session().selection.head == 3) break;
  }
  EXPECT_EQ(driver_.session().selection.head, 3);
}

TEST_F(Scale, OpensATrainedModelWhoseLossHasAGradient) {
  driver_.settle();
  EXPECT_TRUE(screen_contains("there is no loss to go back from"));
  const std::vector<Box> buttons = find_text("Open a trained model");
  ASSERT_EQ(buttons.size(), 1U);
  driver_.click({buttons.front().x + 3.0F, buttons.front().y + 3.0F});
  driver_.wait_until("for the gradients", [&] { return screen_contains("Untrained, softmax lets"); });
  EXPECT_EQ(driver_.session().view, PageName::scale);
  EXPECT_TRUE(find_text("Open a trained model").empty());
}

TEST_F(Scale, ALinkShowsTheRestOfThePage) {
  driver_.app().apply(set_to("picture.details", false));
  driver_.settle();
  EXPECT_FALSE(screen_contains("All queries of each head"));
  const std::vector<Box> links = find_text("Show the gradient: in this row, in all heads, and in training");
  ASSERT_EQ(links.size(), 1U);
  driver_.click({links.front().x + 3.0F, links.front().y + 3.0F});
  driver_.wait_until("for the rest", [&] { return screen_contains("All queries of each head"); });
  EXPECT_TRUE(driver_.session().picture.details);
}

}  // namespace
}  // namespace headscope
