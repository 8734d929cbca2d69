// Reads what the window draws from its draw data, and tests that nothing is cut, overlaps, or moves under the
// mouse.
#include "tests/gui/drawn_window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "app/shell/view_record.h"
#include "core/engine/opening.h"
#include "core/system/process.h"
#include "tests/gui/random_figures.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

struct Look {
  PixelSize size;
  float scale;
};

Settings opened() {
  Settings settings;
  settings.session = startup_session(bundled_model_folders()).value();
  return settings;
}

std::string said(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += "\n  " + fault;
  return text;
}

class DrawnWindow : public testing::TestWithParam<Look> {
 protected:
  DrawnWindow() : driver_(GetParam().size, GetParam().scale, opened()) {}

  void show(PageName view) {
    driver_.app().apply(SetView{view});
    driver_.settle();
  }
  /// Expects no fault on any page with the current session.
  void expect_whole(const std::string& session) {
    for (const ViewRecord& record : view_records()) {
      show(record.page);
      std::vector<std::string> faults = drawing_faults();
      const std::vector<std::string> of_maps = map_faults(driver_);
      faults.insert(faults.end(), of_maps.begin(), of_maps.end());
      EXPECT_TRUE(faults.empty()) << session << ", " << page_record(record.page).title << said(faults);
    }
  }
  static bool is_near(const Box& a, const Box& b) {
    constexpr float rounding = 1.0F;
    return std::abs(a.x - b.x) <= rounding && std::abs(a.y - b.y) <= rounding &&
           std::abs(a.w - b.w) <= rounding && std::abs(a.h - b.h) <= rounding;
  }
  enum class Numbers { same, others };
  /// Labels of maps may need another width if the numbers are different.
  void expect_still(const std::map<std::string, Box>& before, const std::string& after,
                    Numbers numbers = Numbers::same) {
    const std::map<std::string, Box> now = layout_of(driver_);
    for (const auto& [name, box] : before) {
      const auto found = now.find(name);
      if (found == now.end()) continue;  // a page may remove a part, but nothing else may take its place
      if (numbers == Numbers::others && name.starts_with("map ")) continue;
      EXPECT_TRUE(is_near(found->second, box))
          << after << ": “" << name << "” was at " << box.x << ", " << box.y << ", " << box.w << " × "
          << box.h << " and is at " << found->second.x << ", " << found->second.y << ", " << found->second.w
          << " × " << found->second.h;
    }
  }
  Point somewhere() {
    const PixelSize size = driver_.window().framebuffer_size();
    std::uniform_real_distribution<float> share(0.02F, 0.98F);
    return {share(random_) * static_cast<float>(size.width),
            share(random_) * static_cast<float>(size.height)};
  }

  AppDriver driver_;
  std::mt19937 random_{7};
};

TEST_P(DrawnWindow, IsWholeAsItOpens) {
  expect_whole("as it opens");
}

TEST_P(DrawnWindow, IsWholeWithRandomSessions) {
  const auto models = bundled_models_and_none();
  RandomSettings random(static_cast<unsigned>(GetParam().size.width));
  for (int n = 0; n < 2; ++n) {
    Session session =
        expressible_as_command(random.session(models[static_cast<std::size_t>(n) % models.size()]));
    session.picture.theme = n % 2 == 0 ? ThemeName::light : ThemeName::dark;
    driver_.app().apply(OpenSession{session});
    driver_.settle();
    expect_whole("random session " + std::to_string(n));
  }
}

TEST_P(DrawnWindow, StaysStillUnderTheMouse) {
  for (const ViewRecord& record : view_records()) {
    show(record.page);
    const auto before = layout_of(driver_);
    const std::string page(page_record(record.page).title);
    int clicks = 0;
    for (int i = 0; i < 12; ++i) {
      const auto cell = driver_.hover(somewhere());
      driver_.frames(2);
      expect_still(before, page + ", hovering");
      if (!cell || clicks++ > 1) continue;
      driver_.window().mouse_down();
      driver_.window().mouse_up();
      driver_.settle();
      if (driver_.session().view != record.page) break;  // the cell leads to another page
      expect_still(before, page + ", after a click");
    }
    driver_.app().apply(set_selected(&Selection::pin, {}));
  }
}

TEST_P(DrawnWindow, MessagesAndModesMoveNothing) {
  for (const PageName view : {PageName::explore, PageName::scale, PageName::words, PageName::train}) {
    show(view);
    const std::string page(page_record(view).title);
    const auto before = layout_of(driver_);
    driver_.app().notify("It was written to a file whose name is long: " + std::string(300, 'x'),
                         NoticeKind::warning);
    driver_.frames(3);
    expect_still(before, page + ", warned");
    for (const CommandId mode :
         {CommandId::toggle_paint, CommandId::toggle_padding_clicks, CommandId::toggle_cover_mode}) {
      driver_.app().run(mode);
      driver_.settle();
      expect_still(before, page + ", in a mode");
      EXPECT_EQ(said(drawing_faults()), "") << page;
    }
    driver_.app().screen().click_mode.reset();
    const Session kept = driver_.session();
    driver_.app().run(CommandId::toggle_head_off);
    driver_.settle();
    expect_still(before, page + ", with an intervention", Numbers::others);
    const StageId query = driver_.session().selection.at(StageKind::query);
    const Extent size = driver_.trace().extent(query);
    driver_.app().apply(SetGiven{path(query), OwnedMatrix(size.rows, size.cols)});
    driver_.settle();
    expect_still(before, page + ", with numbers by hand", Numbers::others);
    EXPECT_EQ(said(drawing_faults()), "") << page;
    driver_.app().apply(OpenSession{kept});
    driver_.settle();
  }
}

TEST_P(DrawnWindow, AnErrorMovesNothing) {
  driver_.app().dispatch(OpenBundled{});
  driver_.settle();
  const auto before = layout_of(driver_);
  Architecture architecture = driver_.session().architecture;
  architecture.n_heads = 5;
  driver_.app().apply(test::with(driver_.session(), architecture));
  driver_.settle();
  ASSERT_FALSE(driver_.app().error().empty());
  expect_still(before, "with an error");
  EXPECT_EQ(said(drawing_faults()), "");
}

/// Whether all letters of the status line are inside of it, also on pages without an inspector.
TEST_P(DrawnWindow, TheStatusLineCutsNoLetter) {
  for (const PageName page : {PageName::explore, PageName::by_hand, PageName::lessons}) {
    for (const bool details : {false, true}) {
      driver_.app().apply(SetView{page});
      driver_.app().apply(set_to("picture.details", details));
      driver_.settle();
      const std::vector<Box> letters = find_letters(details ? "Details: on" : "Details: off");
      if (letters.empty()) continue;  // too narrow for it
      const auto panels = drawn_panels();
      const auto line = std::ranges::find(panels, "status", &DrawnPanel::name);
      ASSERT_NE(line, panels.end());
      EXPECT_LE(letters.back().right(), line->inside.right()) << static_cast<int>(page);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DrawnWindow,
                         testing::Values(Look{{1280, 800}, 1.0F}, Look{{1920, 1080}, 1.0F},
                                         Look{{2880, 1800}, 2.0F}, Look{{1024, 768}, 1.0F},
                                         Look{{640, 480}, 1.0F}, Look{{1366, 768}, 1.25F}));

}  // namespace
}  // namespace headscope
