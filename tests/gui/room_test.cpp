// Tests the use of the window's room: panels that fold and grow, large maps, and the page alone for an
// audience.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/shell/view_record.h"
#include "core/engine/opening.h"
#include "core/session/settings.h"
#include "core/system/process.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

constexpr float between_panels = 8.0F;
constexpr float window_margin = 12.0F;

float width_of_view(AppDriver& driver) {
  return driver.app().screen().pages[PageName::explore].size.width;
}

TEST(Room, PanelsFoldAwayAndTheViewTakesTheirRoom) {
  AppDriver driver;
  const float before = width_of_view(driver);
  driver.press(CommandId::toggle_controls);
  EXPECT_TRUE(find_text("d_model").empty());
  EXPECT_NEAR(width_of_view(driver), before + SidePanels::default_controls_width + between_panels, 2.0F);
  driver.press(CommandId::toggle_inspector);
  EXPECT_FALSE(screen_contains("Point at a cell"));
  EXPECT_NEAR(width_of_view(driver),
              before + SidePanels::default_controls_width + SidePanels::default_inspector_width +
                  2.0F * between_panels,
              2.0F);
  for (const char* link : {"Settings", "Inspector"}) {
    const auto letters = find_letters(link);
    ASSERT_FALSE(letters.empty()) << link;
    driver.click({letters.back().x + 8.0F, letters.back().y + 4.0F});
  }
  EXPECT_FALSE(find_text("d_model").empty());
  EXPECT_TRUE(screen_contains("Point at a cell"));
  EXPECT_EQ(width_of_view(driver), before);
}

TEST(Room, TheFirstLookHasNeitherSettingsNorWhatFewPeopleNeed) {
  AppDriver driver;
  driver.app().screen().panels = SidePanels{};
  driver.settle();
  EXPECT_TRUE(find_text("d_model").empty());
  EXPECT_TRUE(screen_contains("Untrained")) << "the model stands beside its sentence";
  EXPECT_FALSE(screen_contains("+ sentence"));
  driver.press(CommandId::add_sentence);
  EXPECT_EQ(driver.session().batch.size(), 2U);
  EXPECT_TRUE(screen_contains("+ sentence"));
  driver.press(CommandId::undo);
  driver.press(PageName::scale);
  EXPECT_FALSE(screen_contains("How does FlashAttention"));
  driver.press(PageName::tiles);
  EXPECT_TRUE(screen_contains("How does FlashAttention")) << "its key opens it";
  driver.press(PageName::heads);
  EXPECT_TRUE(screen_contains("Effects"));
  EXPECT_EQ(find_text("Compare").size(), 1U) << "the button";
}

TEST(Room, EveryPageHasATabOrIsInTheMenuAfterTheTabs) {
  AppDriver driver;
  int n_in_menus = 0;
  for (const PageRecord& page : page_records()) {
    if (page.has_tab == nullptr) continue;
    ++n_in_menus;
    const auto beside = std::ranges::find_if(page_records(), [&](const PageRecord& each) {
      return each.workspace == page.workspace && each.name != page.name;
    });
    driver.press(beside->name);
    constexpr float bars = 160.0F;
    const auto in_bars = [&](const std::string& text) {
      std::vector<Box> found = find_text(text);
      std::erase_if(found, [](const Box& box) { return box.y > bars; });
      return found;
    };
    const std::vector<Box> menu = in_bars("More ▾");
    ASSERT_EQ(menu.size(), 1U) << page.title;
    driver.click({menu.front().x + 4.0F, menu.front().y + 4.0F});
    const std::vector<Box> entry = find_letters(page.title);
    ASSERT_FALSE(entry.empty()) << page.title;
    driver.click({entry.back().x + 4.0F, entry.back().y + 4.0F});
    EXPECT_EQ(driver.session().view, page.name);
    EXPECT_FALSE(in_bars(std::string(page.title)).empty()) << "it has a tab while it is open";
    driver.press(CommandId::release);
  }
  EXPECT_EQ(n_in_menus, 3);
}

TEST(Room, PanelsAreDraggedWiderAndStaySo) {
  AppDriver driver({1920, 1080});
  const float before = width_of_view(driver);
  const float left_edge = window_margin + SidePanels::default_controls_width + 0.5F * between_panels;
  driver.window().drag({left_edge, 600.0F}, {left_edge + 80.0F, 600.0F});
  driver.settle();
  const SidePanels panels = driver.app().settings().panels;
  EXPECT_NEAR(panels.controls, SidePanels::default_controls_width + 80.0F, 3.0F);
  const float enlarged = driver.app().page_scale();
  EXPECT_NEAR(width_of_view(driver), before - 80.0F / enlarged, 3.0F);
  const float right_edge =
      1920.0F - window_margin - SidePanels::default_inspector_width * enlarged - 0.5F * between_panels;
  driver.window().drag({right_edge, 600.0F}, {right_edge - 100.0F, 600.0F});
  driver.settle();
  EXPECT_NEAR(driver.app().settings().panels.inspector,
              SidePanels::default_inspector_width + 100.0F / enlarged, 3.0F);
  driver.press(CommandId::toggle_inspector);
  AppDriver again({1920, 1080}, 1.0F, driver.app().settings());
  EXPECT_EQ(again.app().screen().panels, driver.app().screen().panels);
  EXPECT_FALSE(again.app().screen().panels.has_inspector);
}

TEST(Room, PagesAreLargerThanTheirControlsInALargeWindow) {
  for (const auto& [size, scale] :
       {std::pair(PixelSize{1280, 800}, 1.0F), std::pair(PixelSize{1600, 1000}, 1.0F),
        std::pair(PixelSize{1920, 1080}, 1.25F), std::pair(PixelSize{2560, 1440}, 1.25F * 1.25F)}) {
    AppDriver driver(size);
    EXPECT_EQ(driver.app().page_scale(), scale) << size.width;
    const PageCache& drawn = driver.app().screen().pages[PageName::explore];
    EXPECT_LE(drawn.page.figure.height, drawn.size.height) << size.width;
    const auto cell = driver.cell("large", 7, 1);
    ASSERT_TRUE(cell) << size.width;
    EXPECT_TRUE(screen_contains(driver.tokens()[1])) << size.width;
    driver.click(*cell);
    EXPECT_EQ(driver.session().selection.pin, (Pin{driver.app().screen().memo.maps["large"].key.stage, 7, 1}))
        << "a click hits what is drawn there";
  }
}

TEST(Room, AllHeadsOfASmallModelAreSeenWithoutScrolling) {
  AppDriver driver({1920, 1080});
  for (const int n_heads : {4, 8, 12, 16}) {
    driver.set_sizes(16 * n_heads, n_heads);
    const PageCache& drawn = driver.app().screen().pages[PageName::explore];
    EXPECT_LE(drawn.page.figure.height, drawn.size.height) << n_heads;
    EXPECT_GE(driver.app().screen().memo.maps["small head 0"].layout.cells.w, 44.0F) << n_heads;
  }
}

TEST(Room, MapsGrowAndStandInTheMiddle) {
  AppDriver driver({1920, 1080});
  driver.paste_sentence("one two three four");
  const PageCache& drawn = driver.app().screen().pages[PageName::explore];
  const MapPanel& map = driver.app().screen().memo.maps["large"];
  EXPECT_EQ(map.layout.cell_width, 72.0F);
  for (const HitRegion& region : drawn.page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells == nullptr || cells->slot != "large") continue;
    const float right = drawn.size.width;
    const float left = right - map.key.width;
    EXPECT_GT(region.box.x, left + 0.25F * map.key.width);
    EXPECT_LT(region.box.right(), right - 0.25F * map.key.width);
  }
}

TEST(Room, ALongTextTakesAtMostAQuarterOfTheWindow) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "word" + std::to_string(i % 40) + " ";
  for (const PixelSize size : {PixelSize{1280, 800}, PixelSize{1920, 1080}}) {
    AppDriver driver(size);
    driver.paste_sentence(text);
    const auto& regions = driver.app().screen().pages[PageName::explore].page.regions;
    const auto strip = std::ranges::find_if(regions, [](const HitRegion& region) {
      return std::holds_alternative<SentenceArea>(region.meaning);
    });
    ASSERT_NE(strip, regions.end());
    EXPECT_LE(strip->box.h, 0.25F * static_cast<float>(size.height));
    const auto rows = std::get<SentenceArea>(strip->meaning);
    EXPECT_LT(rows.n_visible_rows, rows.n_rows);
    EXPECT_GE(rows.n_visible_rows, 2);
    EXPECT_TRUE(screen_contains("of " + std::to_string(rows.n_rows))) << "the rest is stated";
    driver.app().apply(SelectToken{299});
    driver.settle();
    EXPECT_TRUE(driver.app().screen().memo.strip.layout.is_visible(299));
  }
}

TEST(Room, StagesBeginWithWhatAttentionComputes) {
  AppDriver driver({1920, 1080});
  driver.press(PageName::stages);
  const PageCache& drawn = driver.app().screen().pages[PageName::stages];
  // Stages follow each other down the page in the order of computation, and queries, keys and values are
  // visible without scrolling.
  float above = 0.0F;
  for (const StageKind kind : {StageKind::query, StageKind::raw, StageKind::weights, StageKind::projected}) {
    const auto map = std::ranges::find_if(drawn.page.regions, [&](const HitRegion& region) {
      const auto* cells = std::get_if<StageCells>(&region.meaning);
      return cells != nullptr && cells->stage.kind == kind;
    });
    ASSERT_NE(map, drawn.page.regions.end()) << info(kind).name;
    EXPECT_GT(map->box.y, above) << info(kind).name;
    above = map->box.bottom();
    if (kind == StageKind::query) {
      EXPECT_LT(map->box.bottom(), 0.65F * drawn.size.height);
    }
  }
}

class Presenting : public testing::Test {
 protected:
  AppDriver driver_{{1920, 1080}};
};

TEST_F(Presenting, ShowsThePageAloneAndLarger) {
  for (const ViewRecord& record : view_records()) {
    const PageName view = record.page;
    driver_.app().apply(SetView{view});
    driver_.settle();
    ASSERT_FALSE(find_text("Explore").empty());
    driver_.press(CommandId::present);
    EXPECT_TRUE(find_text("Explore").empty()) << "the bar is gone";
    EXPECT_TRUE(find_text("d_model").empty() || view == PageName::stages) << "so are the settings";
    EXPECT_FALSE(screen_contains("Point at a cell"));
    const PageSize size = driver_.app().screen().pages[view].size;
    EXPECT_NEAR(size.width, 1920.0F / 1.5F, 80.0F) << "half as large again";
    driver_.press(CommandId::unpin);
    EXPECT_FALSE(driver_.app().screen().presents);
    EXPECT_FALSE(find_text("Explore").empty());
  }
}

TEST_F(Presenting, TheSpeakersHelpLeavesThePictureUntilTheMouseMoves) {
  driver_.press(CommandId::present);
  EXPECT_TRUE(screen_contains("B: black"));
  const int n_frames_of_three_seconds = 200;
  driver_.frames(n_frames_of_three_seconds);
  EXPECT_FALSE(screen_contains("B: black"));
  EXPECT_FALSE(screen_contains("Stop (Esc)"));
  driver_.hover({300.0F, 300.0F});  // A first position is not yet a movement.
  driver_.hover({400.0F, 300.0F});
  EXPECT_TRUE(screen_contains("B: black"));
}

TEST_F(Presenting, ShowsAllWordsOfALongSentence) {
  for (const PixelSize size : {PixelSize{1280, 800}, PixelSize{1920, 1080}}) {
    AppDriver driver(size, 2.0F);
    driver.paste_sentence(
        "The animal didn't cross the street because it was too tired and the road was busy");
    driver.press({Key::escape});
    EXPECT_TRUE(screen_contains("because it was too tired and the road was busy")) << size.width;
    driver.press(PageName::words);
    driver.press(CommandId::present);
    EXPECT_TRUE(screen_contains("because it was too tired and the road was busy")) << size.width;
  }
}

TEST_F(Presenting, ShowsAComparisonWithoutScrolling) {
  for (const PixelSize size : {PixelSize{1024, 768}, PixelSize{1280, 800}, PixelSize{1920, 1080}}) {
    AppDriver driver(size);
    driver.press(CommandId::hold);
    driver.app().apply(set_to("attention.causal", true));
    driver.app().apply(SetView{PageName::compare});
    driver.settle();
    driver.press(CommandId::present);
    driver.settle();
    EXPECT_FALSE(driver.app().screen().view_scrolls) << size.width;
  }
}

/// Nothing scrolls sideways.
TEST_F(Presenting, ShowsBothStacksOfADiagram) {
  AppDriver driver({520, 600});
  driver.app().apply(load_preset("The paper"));
  driver.app().apply(SetView{PageName::model});
  driver.settle();
  driver.press(CommandId::present);
  driver.settle();
  const PageCache& shown = driver.app().screen().pages[PageName::model];
  EXPECT_LE(shown.page.figure.width, shown.size.width + 1.0F);
}

TEST_F(Presenting, ArrowsStepThroughTheStagesAndEscapeKeepsThePin) {
  driver_.app().apply(select_stage(StageKind::masked));
  driver_.settle();
  driver_.press(Chord{Key::right});
  EXPECT_EQ(driver_.session().selection.stage, StageKind::masked) << "only while presenting";
  driver_.press(CommandId::present);
  driver_.press(Chord{Key::right});
  EXPECT_EQ(driver_.session().selection.stage, StageKind::weights);
  driver_.press(Chord{Key::left});
  driver_.press(Chord{Key::left});
  EXPECT_EQ(driver_.session().selection.stage, StageKind::scaled);
  driver_.app().apply(PinCell{{driver_.session().selection.at(StageKind::scaled), 7, 1}});
  driver_.settle();
  driver_.press(CommandId::unpin);
  EXPECT_TRUE(driver_.session().selection.pin) << "Escape takes back one thing at a time";
  driver_.press(CommandId::present);
  driver_.press(CommandId::present);
  EXPECT_FALSE(driver_.app().screen().presents);
}

TEST_F(Presenting, ARemoteControlStepsToTheEndAndEscapeReturns) {
  const StageKind before = driver_.session().selection.stage;
  driver_.app().apply(PinCell{{driver_.session().selection.at(before), 7, 1}});
  driver_.settle();
  const std::optional<Pin> pin = driver_.session().selection.pin;
  driver_.press(CommandId::present);
  for (int i = 0; i < 40; ++i) driver_.press(Chord{Key::page_down});
  const Selection last = driver_.session().selection;
  EXPECT_NE(last.stage, before);
  driver_.press(Chord{Key::space});
  EXPECT_EQ(driver_.session().selection.stage, last.stage) << "nothing comes after the last stage";
  EXPECT_TRUE(screen_contains("This is the last step"));
  driver_.press(Chord{Key::home});
  EXPECT_EQ(driver_.session().selection.stage, StageKind::query);
  driver_.press(Chord{Key::left});
  EXPECT_TRUE(screen_contains("This is the first step"));
  driver_.press(Chord{Key::end});
  EXPECT_EQ(driver_.session().selection.stage, last.stage);
  driver_.press(Chord{Key::page_up});
  EXPECT_NE(driver_.session().selection.stage, last.stage);
  driver_.press(Chord{Key::page_up});
  driver_.press(CommandId::unpin);
  EXPECT_FALSE(driver_.app().screen().presents);
  EXPECT_EQ(driver_.session().selection.stage, before);
  EXPECT_EQ(driver_.session().selection.pin, pin);
  driver_.press(CommandId::present);
  driver_.press(Chord{Key::right});
  driver_.app().apply(SetSentence{"Something else"});
  driver_.settle();
  const StageKind now = driver_.session().selection.stage;
  driver_.press(CommandId::unpin);
  EXPECT_EQ(driver_.session().selection.stage, now) << "another sentence has another selection";
}

TEST_F(Presenting, TheMouseStillFindsCellsAndTokens) {
  driver_.press(CommandId::present);
  const auto token = driver_.strip_token(5);
  ASSERT_TRUE(token);
  driver_.click(*token);
  EXPECT_EQ(driver_.session().selection.token, 5);
  driver_.app().apply(SetView{PageName::heads});
  driver_.settle();
  EXPECT_GT(driver_.app().screen().pages[PageName::heads].page.regions.size(), 3U);
}

Settings on_pronouns() {
  Settings settings;
  settings.session = startup_session(bundled_model_folders()).value();
  return settings;
}

/// The vertical position of a text on the screen, or -1 if it is not there.
float height_of(const char* text) {
  const std::vector<Box> found = find_text(text);
  return found.empty() ? -1.0F : found.front().y;
}

TEST(Room, ALinkThatOpensAnotherModelBringsNoSliderUnderTheMouse) {
  AppDriver driver({1280, 800}, 1.0F, on_pronouns());
  const float before = height_of("d_model");
  const std::vector<Box> link = find_text("Untrained");
  ASSERT_EQ(link.size(), 1U);
  driver.click({link.front().x + 4.0F, link.front().y + 4.0F});
  driver.settle();
  EXPECT_FALSE(driver.session().model);
  EXPECT_EQ(height_of("d_model"), before);
}

TEST(Room, TheDerivationOfTheCellUnderTheMouseFitsTheInspector) {
  AppDriver driver({1280, 800}, 1.0F, on_pronouns());
  EXPECT_TRUE(screen_contains("The model's answer for “it”"));
  const auto cell = driver.cell("large", 2, 2);
  ASSERT_TRUE(cell);
  driver.window().mouse_move(cell->x, cell->y);
  driver.settle();
  EXPECT_TRUE(screen_contains("The cell under the mouse"));
  EXPECT_TRUE(screen_contains("weight = exp / Σ over keys"));
}

TEST(Room, TheLinkThatEditsNumbersMovesNothing) {
  AppDriver driver({1600, 800});  // Both headlines fit on a line.
  EXPECT_TRUE(find_text("Edit numbers…").empty()) << "weights are computed";
  const auto room = [&] { return driver.app().screen().pages[PageName::explore].size.height; };
  const float before = room();
  driver.app().apply(select_stage(StageKind::raw));
  driver.settle();
  const std::vector<Box> link = find_text("Edit numbers…");
  ASSERT_EQ(link.size(), 1U);
  EXPECT_EQ(room(), before);
  driver.click({link.front().x + 4.0F, link.front().y + 4.0F});
  driver.settle();
  EXPECT_TRUE(driver.app().screen().number_editor.stage);
}

}  // namespace
}  // namespace headscope
