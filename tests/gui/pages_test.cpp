// Tests that the page in the window is the same as the page in an exported file.
#include <gtest/gtest.h>

#include "app/cli/option_values.h"
#include "core/engine/opening.h"
#include "core/enum_count.h"
#include "core/page/page_record.h"
#include "core/session/names.h"
#include "core/session/settings.h"
#include "core/system/process.h"
#include "tests/gui/app_driver.h"

namespace headscope {
namespace {

Settings opened() {
  Settings settings;
  if (const auto session = startup_session(bundled_model_folders())) settings.session = *session;
  return settings;
}

/// The page as it is drawn into a file, without the file's heading, notes and margin.
Figure page_in_file(const PageInputs& in, PageName name, const PageSize& size, const MeasureText& measure) {
  PageMemo memo;
  PageTools tools{measure, 0, memo};
  Figure figure = page_of(in, name, size, tools).figure;
  // Maps that share a colour range know it only after all of them have been drawn once.
  return memo.difference_ranges.empty() && name != PageName::compare ? figure
                                                                     : page_of(in, name, size, tools).figure;
}

class Pages : public testing::Test {
 protected:
  /// Expects the current page to equal that of a file with the same inputs and size.
  static void expect_the_same(AppDriver& driver, PageName view) {
    driver.app().apply(SetView{view});
    driver.settle();
    const PageName name = view;
    const ScreenState& screen = driver.app().screen();
    const auto drawn = screen.pages.find(name);
    ASSERT_NE(drawn, screen.pages.end()) << "the view draws no page";
    const Figure& on_screen = drawn->second.page.figure;
    const Figure in_file = page_in_file(screen.page_inputs, name, drawn->second.size, driver.app().measure());
    ASSERT_EQ(in_file.items.size(), on_screen.items.size());
    EXPECT_FALSE(on_screen.items.empty());
    for (std::size_t i = 0; i < on_screen.items.size(); ++i)
      ASSERT_TRUE(on_screen.items[i] == in_file.items[i]) << i;
  }
  static void expect_all_the_same(AppDriver& driver) {
    for (int view = 0; view < static_cast<int>(n_views); ++view) {
      SCOPED_TRACE(std::string(enum_name(static_cast<PageName>(view))));
      expect_the_same(driver, static_cast<PageName>(view));
    }
  }
  static void pin(AppDriver& driver) {
    driver.app().apply(SelectToken{7});
    driver.app().apply(PinCell{{driver.session().selection.at(StageKind::weights), 7, 1}});
  }
};
using PagesLong = Pages;

TEST_F(PagesLong, OfATrainedModelAreTheSameInTheWindowAndInFiles) {
  for (const PixelSize size : {PixelSize{1280, 800}, PixelSize{1920, 1080}, PixelSize{640, 480}}) {
    AppDriver driver(size, 1.0F, opened());
    expect_all_the_same(driver);
    pin(driver);
    expect_all_the_same(driver);
  }
}

TEST_F(Pages, OfRandomWeightsAreTheSameInTheWindowAndInFiles) {
  AppDriver driver({1280, 800}, 2.0F);
  expect_all_the_same(driver);
  driver.app().apply(SetCompared{});
  driver.app().apply(SetSentence{"The animal didn't cross the street because it was wide"});
  for (int view = 0; view < static_cast<int>(n_views); ++view) {
    SCOPED_TRACE("difference, " + std::string(enum_name(static_cast<PageName>(view))));
    // In the window, the colours of differences span all values seen since differences were switched on.
    driver.app().apply(set_to("difference", false));
    driver.settle();
    driver.app().apply(SetView{static_cast<PageName>(view)});
    driver.app().apply(set_to("difference", true));
    expect_the_same(driver, static_cast<PageName>(view));
  }
}

TEST_F(Pages, OfALongTextShowTheSameRows) {
  AppDriver driver;
  std::string text;
  for (int i = 0; i < 150; ++i) text += "word" + std::to_string(i % 40) + " ";
  driver.app().apply(SetSentence{text});
  driver.app().apply(SelectToken{120});
  expect_all_the_same(driver);
  driver.app().screen().strip_row = 1;
  expect_the_same(driver, PageName::explore);
  EXPECT_EQ(driver.app().screen().memo.strip.layout.first_row, 1);
}

/// The number of outlines of a pin: frames in the accent colour around the cell.
int n_outlines(const Page& page, const Box& cell, const Theme& theme) {
  int n = 0;
  for (const Item& item : page.figure.items) {
    const auto* frame = std::get_if<StrokedRect>(&item);
    if (frame == nullptr || !(frame->color == theme.accent)) continue;
    const bool around =
        frame->box.x < cell.x && frame->box.y < cell.y && frame->box.right() > cell.x + 0.5F * cell.w &&
        frame->box.right() < cell.right() + 4.0F && frame->box.bottom() < cell.bottom() + 4.0F;
    n += around ? 1 : 0;
  }
  return n;
}

TEST_F(Pages, APinIsOutlinedOnEveryPageThatShowsItsCell) {
  AppDriver driver({1280, 800}, 1.0F, opened());
  for (const PageName view : {PageName::explore, PageName::stages, PageName::heads, PageName::train}) {
    driver.app().apply(set_selected(&Selection::pin, {}));
    driver.app().apply(SetView{view});
    pin(driver);
    driver.settle();
    const Pin pinned = *driver.session().selection.pin;
    const Page& page = driver.app().screen().pages[view].page;
    int n_maps = 0;
    for (const HitRegion& region : page.regions) {
      const auto* cells = std::get_if<StageCells>(&region.meaning);
      if (cells == nullptr || cells->stage != pinned.stage) continue;
      ++n_maps;
      const Box cell = cells->grid.box_of(pinned.row, pinned.col);
      EXPECT_GE(n_outlines(page, cell, theme_of(driver.session().picture.theme)), 1) << cells->slot;
    }
    EXPECT_GE(n_maps, 1) << std::string(enum_name(view));
  }
}

}  // namespace
}  // namespace headscope
