// Tests the page of experts in the window: what a click and the mouse do, and the way on without experts.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/checkpoint/model_folder.h"
#include "core/engine/opening.h"
#include "core/session/action.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

Settings on_experts() {
  Settings settings;
  const auto model = open_model(HEADSCOPE_SOURCE_DIR "/tests/fixtures/foreign/mixtral", {});
  EXPECT_TRUE(model);
  settings.session = reduce(default_session(), opening_action(*model));
  settings.session.tokenizer = TokenizerKind::ids;
  settings.session.sentence = "1 5 9 2 7 11 3 28 14";
  settings.session.texts = {};
  settings.session.view = PageName::experts;
  return settings;
}

/// The centre of a cell of the map of first experts, in window pixels. The heading of the map tells where the
/// page is.
Point first_expert(AppDriver& driver, int word, int layer) {
  const std::string heading = "First expert in each layer";
  const Page& page = driver.app().screen().pages.at(PageName::experts).page;
  const auto is_heading = [&](const Item& item) {
    const auto* label = std::get_if<Label>(&item);
    return label != nullptr && label->text == heading;
  };
  const auto label = std::ranges::find_if(page.figure.items, is_heading);
  const auto cells = std::ranges::find_if(page.regions, [](const HitRegion& region) {
    return std::holds_alternative<TableCells>(region.meaning);
  });
  const std::vector<Box> drawn = find_text(heading);
  if (label == page.figure.items.end() || cells == page.regions.end() || drawn.size() != 1) {
    ADD_FAILURE() << "there is no map of first experts";
    return {};
  }
  const Point on_page = std::get<Label>(*label).at;
  const Box cell = std::get<TableCells>(cells->meaning).grid.box_of(word, layer);
  return {drawn[0].x + cell.x + 0.5F * cell.w - on_page.x, drawn[0].y + cell.y + 0.5F * cell.h - on_page.y};
}

TEST(ExpertsView, AClickSelectsTheWordAndTheLayerAndTheMouseLeadsToTheStage) {
  AppDriver driver({1600, 1000}, 1.0F, on_experts());
  driver.settle();
  ASSERT_FALSE(find_text("Experts").empty()) << "the page has a tab";
  const Point at = first_expert(driver, 4, 1);
  const std::optional<Pin> hovered = driver.hover(at);
  driver.frames(2);
  ASSERT_TRUE(hovered);
  EXPECT_EQ(hovered->stage.kind, StageKind::expert_shares);
  EXPECT_EQ(hovered->stage.layer, 1);
  EXPECT_EQ(hovered->row, 4);
  EXPECT_TRUE(screen_contains("Layer 1 sends “7” to expert " + std::to_string(hovered->col)));
  driver.click(at);
  driver.settle();
  EXPECT_EQ(driver.session().selection.layer, 1);
  EXPECT_EQ(driver.session().selection.token, 4);
  EXPECT_TRUE(screen_contains("Which expert takes “7”?"));
  const auto cell = driver.cell("experts", 4, hovered->col);
  ASSERT_TRUE(cell);
  driver.click(*cell);
  driver.settle();
  EXPECT_EQ(driver.session().selection.pin, hovered) << "the derivation of the share";
  EXPECT_EQ(driver.session().view, PageName::experts);
}

TEST(ExpertsView, WithoutExpertsItLeadsToTheDiagram) {
  AppDriver driver({1600, 1000});
  driver.settle();
  EXPECT_TRUE(find_text("Experts").empty()) << "no tab for what the model does not have";
  driver.press(PageName::experts);
  EXPECT_TRUE(screen_contains("This model has no experts"));
  const std::vector<Box> links = find_text("Diagram");
  ASSERT_FALSE(links.empty());
  driver.click({links.back().x + 3.0F, links.back().y + 3.0F});
  driver.settle();
  EXPECT_EQ(driver.session().view, PageName::model);
}

TEST(TokenIds, AreOfferedInPlaceOfASentenceThatTheModelCannotRead) {
  Settings settings = on_experts();
  settings.session.view = PageName::explore;
  settings.session.sentence = "Lily had";
  AppDriver driver({1280, 800}, 1.0F, settings);
  driver.settle();
  EXPECT_FALSE(driver.app().trace());
  const std::vector<Box> link = find_text("Show it with some token ids");
  ASSERT_EQ(link.size(), 1U);
  driver.click({link.front().x + 3.0F, link.front().y + 3.0F});
  driver.settle();
  EXPECT_TRUE(driver.app().trace());
  EXPECT_TRUE(find_text("Show it with some token ids").empty());
}

}  // namespace
}  // namespace headscope
