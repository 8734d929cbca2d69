// Everything that does not fit into a small window must be reachable with a click, and nothing may overlap.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/shell/view_record.h"
#include "core/engine/opening.h"
#include "core/session/action.h"
#include "core/session/settings.h"
#include "core/system/process.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/draw_data.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

struct SmallLook {
  PixelSize size;
  float scale;
};

class SmallWindow : public testing::TestWithParam<SmallLook> {
 protected:
  SmallWindow() : driver_(GetParam().size, GetParam().scale) {}

  float width() const { return static_cast<float>(GetParam().size.width); }
  float height() const { return static_cast<float>(GetParam().size.height); }
  /// Converts design units to ImGui pixels.
  static float px(float units) { return units * GetParam().scale; }
  void click_on(const char* text) {
    const auto boxes = find_text(text);
    ASSERT_FALSE(boxes.empty()) << text;
    const Box box = boxes.back();
    driver_.click({box.x + box.w / 2.0F, box.y + box.h / 2.0F});
  }

  AppDriver driver_;
};

TEST(TinyWindow, DrawsASheetAndWhatIsTypedIntoIt) {
  AppDriver driver({1280, 800}, 1.6F);
  driver.press(CommandId::palette);
  driver.window().type("\U0001D058 ti");  // a letter that the font may lack
  driver.settle();
  for (const int width : {300, 250, 200, 142, 100, 60, 40}) {
    driver.window().resize({width, 667});
    for (int frame = 0; frame < 4; ++frame) {
      driver.frames(1);
      EXPECT_EQ(draw_data_fault(), "") << width;
    }
  }
}

Settings with_pronouns() {
  Settings settings;
  settings.session = startup_session(bundled_model_folders()).value();
  return settings;
}

/// Whether the sentence's field ends with a sign that the text goes on.
bool field_is_cut_off() {
  return std::ranges::any_of(read_screen(), [](const ScreenText& run) {
    const Box box = run.box();
    return run.text.ends_with("…") && box.x < 350.0F && box.y > 50.0F && box.y < 110.0F;
  });
}

TEST(SentenceField, SaysThatTheTextGoesOn) {
  AppDriver narrow({700, 560}, 1.0F, with_pronouns());
  narrow.settle();
  EXPECT_FALSE(field_is_cut_off());
  EXPECT_TRUE(screen_contains("The animal didn't cross the street because it was too tired"))
      << "in smaller letters, on two lines";
  narrow.paste_sentence(narrow.session().sentence + ", and then " + narrow.session().sentence);
  EXPECT_TRUE(screen_contains("and then The animal")) << "all of it is below while it is edited";
  EXPECT_TRUE(screen_contains("‹")) << "the field scrolls";
  narrow.press({Key::escape});
  EXPECT_TRUE(field_is_cut_off());
  AppDriver wide({1280, 800}, 1.0F, with_pronouns());
  wide.settle();
  EXPECT_FALSE(field_is_cut_off());
}

TEST(Inspector, BeginsTheNumbersOfAnotherCellAtTheirTop) {
  AppDriver driver({1280, 560});
  const StageId raw = driver.session().selection.at(StageKind::raw);
  driver.app().apply(set_to("picture.all_numbers", true));
  driver.app().apply(PinCell{{raw, 7, 1}});
  driver.settle();
  const std::vector<Box> heading = find_letters("The raw score of");
  ASSERT_FALSE(heading.empty());
  driver.hover({heading.back().x + 20.0F, heading.back().y + 200.0F});
  driver.window().mouse_wheel(0.0F, -50.0F);
  driver.frames(30);
  ASSERT_FALSE(screen_contains("The raw score of"));
  driver.app().apply(PinCell{{raw, 3, 2}});
  driver.settle();
  EXPECT_TRUE(screen_contains("The raw score of"));
}

TEST(ExportSheet, ListsNoStagesUnderItsCaption) {
  AppDriver driver;
  driver.app().screen().export_form.open = true;
  driver.app().screen().export_form.kind = ExportKind::trace;
  driver.settle();
  const std::vector<Box> caption = find_letters("stages and parameters");
  ASSERT_FALSE(caption.empty());
  int n_listed = 0;
  for (const ScreenText& run : read_screen()) {
    if (!run.text.starts_with("encoder.") && run.text != "…") continue;
    ++n_listed;
    EXPECT_LE(run.box().bottom(), caption.back().y + 2.0F) << run.text;
  }
  EXPECT_GT(n_listed, 5);
}

TEST(PresentedTrain, BeginsAtItsTopIfItsMapIsInSight) {
  AppDriver driver({820, 700}, 1.0F, with_pronouns());
  driver.press(PageName::train);
  driver.settle();
  EXPECT_EQ(find_letters("The curves of").size(), 1U) << "one line says it of both charts";
  driver.press(CommandId::present);
  driver.settle();
  EXPECT_TRUE(screen_contains("The model says what"));
  EXPECT_TRUE(screen_contains("trained earlier"));
}

float shared_area(const Box& a, const Box& b) {
  const float w = std::min(a.right(), b.right()) - std::max(a.x, b.x);
  const float h = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
  return w > 0.0F && h > 0.0F ? w * h : 0.0F;
}

/// The words in the bars above and below the view.
std::vector<ScreenText> words_of_the_bars(float above, float below) {
  std::vector<ScreenText> words = read_screen();
  std::erase_if(words,
                [&](const ScreenText& word) { return word.box().bottom() > above && word.box().y < below; });
  return words;
}

TEST_P(SmallWindow, NothingInTheBarsStandsOnAnythingElse) {
  for (const TaskKind task : {TaskKind::pronouns, TaskKind::reversing}) {
    driver_.app().dispatch(OpenBundled{task == TaskKind::reversing ? "reversing" : "pronouns"});
    driver_.settle();
    for (const ViewRecord& view : view_records()) {
      driver_.press(view.page);
      const float above = px(task == TaskKind::reversing ? 160.0F : 116.0F);
      const std::vector<ScreenText> words = words_of_the_bars(above, height() - px(36.0F));
      EXPECT_GT(words.size(), 8U);
      for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_LE(words[i].box().right(), width()) << words[i].text;
        for (std::size_t j = 0; j < i; ++j) {
          EXPECT_LT(shared_area(words[i].box(), words[j].box()), 2.0F)
              << words[i].text << " on " << words[j].text;
        }
      }
    }
  }
}

TEST_P(SmallWindow, TheWorkspaceOfTheViewIsInSight) {
  for (const ViewRecord& view : view_records()) {
    driver_.press(view.page);
    // If there is no room for the tabs, a menu has the name of the open one.
    const std::string title(title_of(workspace_of(view.page)));
    std::vector<Box> boxes = find_text(title);
    const std::vector<Box> menu = find_text(title + " ▾");
    boxes.insert(boxes.end(), menu.begin(), menu.end());
    EXPECT_TRUE(std::ranges::any_of(boxes, [&](const Box& box) { return box.bottom() < px(48.0F); }))
        << title;
  }
}

/// Whether the view's tab or, in a short window, its menu is in sight.
bool names_the_map() {
  return !find_text("Map").empty() || !find_text("Map ▾").empty();
}

TEST_P(SmallWindow, TheHeadlineSaysWhereTheWordLooks) {
  driver_.app().dispatch(OpenBundled{"pronouns"});
  driver_.press(PageName::explore);
  driver_.settle();
  EXPECT_TRUE(screen_contains("At “animal”, 0.998."));
}

TEST_P(SmallWindow, ThePageBeginsInTheUpperHalf) {
  driver_.app().dispatch(OpenBundled{"pronouns"});
  driver_.press(PageName::explore);
  driver_.settle();
  const std::vector<Box> stage = find_text("weights");
  ASSERT_FALSE(stage.empty());
  EXPECT_LT(stage.front().y, (height() < px(480.0F) ? 0.5F : 0.58F) * height());
}

TEST_P(SmallWindow, TheViewHasTheWholeWidthAndSettingsAreAClickAway) {
  EXPECT_GE(driver_.app().screen().memo.maps["large"].key.width, width() / GetParam().scale * 0.5F);
  EXPECT_TRUE(find_text("d_model").empty());
  click_on("Settings");
  EXPECT_FALSE(find_text("d_model").empty());
  EXPECT_FALSE(names_the_map());
  click_on("Inspector");
  EXPECT_TRUE(find_text("d_model").empty());
  EXPECT_TRUE(screen_contains("looks at"));
  click_on("View");
  EXPECT_TRUE(names_the_map());
}

TEST_P(SmallWindow, WhatHasNoButtonIsInTheMenu) {
  EXPECT_FALSE(find_text("Export").empty()) << "the bar keeps it";
  const Box beside = find_text("Export").front();
  driver_.click({beside.x - px(12.0F + 4.0F + 14.0F), beside.y + beside.h / 2.0F});
  for (const char* entry : {"Present", "Dark", "Help"}) EXPECT_TRUE(screen_contains(entry)) << entry;
  for (const ScreenText& word : read_screen()) {
    if (!word.text.starts_with("Dark")) continue;
    driver_.click({word.box().x + 4.0F, word.box().y + 4.0F});
    break;
  }
  EXPECT_EQ(driver_.session().picture.theme, ThemeName::dark);
  EXPECT_FALSE(screen_contains("Help and keys")) << "the menu has closed";
}

TEST_P(SmallWindow, ASentenceOfABatchCanBeRead) {
  driver_.app().apply(SetBatch{{"one two three", "four five"}});
  driver_.settle();
  EXPECT_FALSE(find_text("1 of 2").empty());
  EXPECT_TRUE(
      std::ranges::any_of(find_letters("one two"), [&](const Box& box) { return box.y < px(116.0F); }));
}

/// In a small window, the weights on these pages must keep cells that are large enough to read.
TEST_P(SmallWindow, MapsAreLargeEnoughToReadOnEveryPage) {
  for (const PageName view : {PageName::explore, PageName::heads, PageName::stages}) {
    driver_.press(view);
    driver_.settle();
    for (const auto& [slot, map] : driver_.app().screen().memo.maps) {
      if (map.key.stage.kind != StageKind::weights || slot.starts_with("small")) continue;
      EXPECT_GE(map.layout.cell_width, 8.0F) << slot;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SmallWindow,
                         testing::Values(SmallLook{{500, 400}, 1.0F}, SmallLook{{1280, 800}, 2.0F},
                                         SmallLook{{640, 480}, 1.0F}));

}  // namespace
}  // namespace headscope
