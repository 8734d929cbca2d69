// Compares two subjects side by side: holding, changing, linking, swapping and releasing them.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/cli/resource_loader.h"
#include "app/shell/view_record.h"
#include "core/engine/opening.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

constexpr const char* tired = "The animal didn't cross the street because it was too tired";
constexpr const char* wide = "The animal didn't cross the street because it was too wide";

Settings on_pronouns() {
  Settings settings;
  settings.session = reduce(default_session(), opening_action(files().model("pronouns").value()));
  settings.session.view = PageName::compare;
  return settings;
}

class Compare : public testing::Test {
 protected:
  /// Runs a command even if the sentence field has the keyboard focus.
  void run(CommandOrView id) {
    driver_.app().run(id);
    driver_.settle();
  }
  void click_text(const char* text) {
    const std::vector<Box> found = find_text(text);
    ASSERT_FALSE(found.empty()) << text;
    driver_.click({found.front().x + 4.0F, found.front().y + 4.0F});
  }
  const MapPanel& map(const char* slot) { return driver_.app().screen().memo.maps[slot]; }
  float number(const char* slot, int row, int col) {
    const MapKey& key = map(slot).key;
    return key.trace->number(key.stage, row, col);
  }

  AppDriver driver_{{1600, 1000}, 1.0F, on_pronouns()};
};

TEST_F(Compare, SaysHowToBegin) {
  driver_.frames(2);
  EXPECT_TRUE(screen_contains("What you choose is frozen as A"));
}

TEST_F(Compare, IsOpenedFromAnyPageWithWhatDiffersInOneWord) {
  for (const ViewRecord& view : view_records()) {
    // The page on writing opens a model that writes.
    if (view.page == PageName::compare || view.page == PageName::decoding) continue;
    driver_.app().apply(SetView{view.page});
    driver_.settle();
    std::vector<Box> named = find_text("Compare");
    std::erase_if(named, [](const Box& box) { return box.y > 48.0F; });
    ASSERT_EQ(named.size(), 1U) << "the button of the bar";
    driver_.click({named.back().x + 4.0F, named.back().y + 4.0F});
    EXPECT_EQ(driver_.session().view, PageName::compare);
    ASSERT_EQ(driver_.session().compared.size(), 1U);
    EXPECT_EQ(driver_.session().compared.front().sentence, wide);
    EXPECT_EQ(driver_.session().sentence, tired);
    run(CommandId::release);
  }
}

TEST_F(Compare, DropsNothingThatCanBeRedoneWhenItIsOpened) {
  driver_.app().apply(ChangeSettings{{{"attention.causal", true}}});
  run(CommandId::undo);
  run(PageName::compare);
  EXPECT_TRUE(driver_.session().compared.empty());
  EXPECT_TRUE(driver_.app().can_redo());
}

TEST_F(Compare, BeginsWithWhatIsClicked) {
  driver_.frames(2);
  click_text("The sentence with “wide”");
  ASSERT_EQ(driver_.session().compared.size(), 1U);
  EXPECT_EQ(driver_.session().compared.front().sentence, wide);
  EXPECT_EQ(driver_.session().sentence, tired);
  run(CommandId::release);
  click_text("Another head, same sentence");
  ASSERT_EQ(driver_.session().compared.size(), 1U);
  EXPECT_EQ(driver_.session().compared.front().sentence, tired);
  EXPECT_NE(driver_.session().compared.front().selection.head, driver_.session().selection.head);
}

TEST_F(Compare, ItsWorkspaceReturnsToIt) {
  run(PageName::compare);
  run(PageName::explore);
  click_text("Heads");
  EXPECT_EQ(driver_.session().view, PageName::compare);
  EXPECT_EQ(driver_.session().compared.size(), 1U);
}

TEST_F(Compare, GoesBackToThePageFromWhichItWasOpened) {
  for (const PageName page : {PageName::lines, PageName::words}) {
    run(page);
    run(PageName::compare);
    click_text("‹ Back");
    EXPECT_EQ(driver_.session().view, page);
    EXPECT_FALSE(find_text("Compare").empty()) << "the button is there again";
  }
}

TEST_F(Compare, IsNamedOnceByItsTabAndOnceByTheChipThatEndsIt) {
  run(CommandId::hold);
  EXPECT_TRUE(find_text("‹ Back").empty()) << "no page was shown before";
  run(PageName::lines);
  driver_.app().apply(SetView{PageName::compare});
  driver_.settle();
  EXPECT_EQ(find_text("Compare").size(), 1U) << "the tab";
  EXPECT_EQ(find_text("‹ Back").size(), 1U) << "in place of the button";
  EXPECT_FALSE(screen_contains("Stop comparing"));
  const std::vector<Box> chip = find_letters("Comparing with A");
  ASSERT_EQ(chip.size(), 1U);
  driver_.click({chip.front().x + 4.0F, chip.front().y + 4.0F});
  EXPECT_TRUE(driver_.session().compared.empty());
}

TEST_F(Compare, MapsWithTheSameColoursShareABarAndHaveCellsOfOneSize) {
  run(CommandId::hold);
  driver_.frames(3);
  const HeatmapLayout& a = map("compare A").layout;
  const HeatmapLayout& b = map("compare B").layout;
  EXPECT_EQ(a.color_bar.w, 0.0F);
  EXPECT_GT(b.color_bar.w, 0.0F);
  EXPECT_EQ(a.cell_width, b.cell_width);
  EXPECT_EQ(a.cell_width, map("compare difference").layout.cell_width);
}

TEST_F(Compare, ChangesAreThoseOfB) {
  run(CommandId::hold);
  driver_.paste_sentence(wide);
  ASSERT_EQ(driver_.session().compared.size(), 1U);
  EXPECT_EQ(driver_.session().compared.front().sentence, tired);
  EXPECT_EQ(driver_.session().sentence, wide);
  const int it = 7;
  const int animal = 1;
  const int street = 5;
  EXPECT_GT(number("compare A", it, animal), 0.8F);
  EXPECT_LT(number("compare A", it, street), 0.2F);
  EXPECT_GT(number("compare B", it, street), 0.8F);
  EXPECT_NEAR(map("compare difference").key.against->number(map("compare A").key.stage, it, animal),
              number("compare A", it, animal), 0.0F);
  EXPECT_TRUE(screen_contains("One word differs"));
}

TEST_F(Compare, HasOneScaleForBoth) {
  run(CommandId::hold);
  driver_.app().apply(select_stage(StageKind::raw));
  driver_.app().apply(select_head(2));
  driver_.settle();
  driver_.frames(3);
  const PictureOptions a = map("compare A").key.picture;
  EXPECT_EQ(a, map("compare B").key.picture);
  double greatest = 0.0;
  for (const char* slot : {"compare A", "compare B"})
    greatest = std::max(greatest, map(slot).key.trace->stats(map(slot).key.stage)->visible_magnitude);
  EXPECT_EQ(a.range, RangeMode::fixed);
  EXPECT_DOUBLE_EQ(a.fixed_high, greatest);
  EXPECT_EQ(map("compare A").key.stage.head, 0);
  EXPECT_EQ(map("compare B").key.stage.head, 2);
  EXPECT_EQ(map("compare A").key.trace, map("compare B").key.trace) << "one pass serves two heads";
}

TEST_F(Compare, AChoiceInTheSentenceMakesThePair) {
  driver_.paste_sentence("The animal didn't cross the street because it was too {tired|wide}");
  ASSERT_EQ(driver_.session().compared.size(), 1U);
  EXPECT_EQ(driver_.session().compared.front().sentence, tired);
  EXPECT_EQ(driver_.session().sentence, wide);
  EXPECT_TRUE(screen_contains("too wide"));
  EXPECT_FALSE(screen_contains("{tired|wide}")) << "the field shows what is edited";
  run(CommandId::undo);
  EXPECT_TRUE(driver_.session().compared.empty());
  EXPECT_EQ(driver_.session().sentence, tired);
}

TEST_F(Compare, TheMouseOnAIsLinkedToB) {
  run(CommandId::hold);
  driver_.paste_sentence("Yesterday the animal didn't cross the street because it was too wide");
  const auto at = driver_.cell("compare B", 8, 2);  // it, animal: a word was inserted before them
  ASSERT_TRUE(at);
  const auto on_b = driver_.hover(*at);
  ASSERT_TRUE(on_b);
  const ComparedCells& cells = driver_.app().screen().memo.comparison[0];
  EXPECT_EQ(cells.cells.rows[8], 7);
  EXPECT_EQ(cells.cells.cols[2], 1);
  EXPECT_EQ(cells.cells.rows[0], -1) << "Yesterday is new";
}

TEST_F(Compare, SaysWhatChangedAndWhereTheWordLooks) {
  run(CommandId::hold);
  driver_.app().apply(SetSentence{wide});
  driver_.settle();
  EXPECT_TRUE(screen_contains("One word differs: “tired” in A, “wide” in B."));
  EXPECT_TRUE(screen_contains("to “animal” in A"));
  EXPECT_TRUE(screen_contains("to “street” in B"));
  driver_.app().apply(ChangeSettings{{{"attention.causal", true}}});
  driver_.settle();
  EXPECT_FALSE(screen_contains("one word")) << "the masks differ, too";
}

/// This is the smallest window in which all panels are open.
TEST(CompareInASmallWindow, AnswersAndMapsStandOnTheFirstScreen) {
  AppDriver driver({1280, 800}, 1.0F, on_pronouns());
  for (const Action& action : default_comparison(driver.session())) driver.app().apply(action);
  driver.settle();
  for (const char* said :
       {"“it” gives 0.993 to “street” in A, and 0.998 to “animal” in B.",
        "makes the most difference: if its output is taken from A", "“… too wide”", "“… too tired”"})
    EXPECT_TRUE(screen_contains(said)) << said;
  const PageCache& drawn = driver.app().screen().pages[PageName::compare];
  int n_maps = 0;
  for (const HitRegion& region : drawn.page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells == nullptr) continue;
    ++n_maps;
    EXPECT_LT(region.box.bottom(), drawn.size.height) << cells->slot;
    EXPECT_GE(cells->grid.cell_width, 18.0F) << cells->slot;
  }
  EXPECT_EQ(n_maps, 3);
}

TEST_F(Compare, TheTooltipOfACellHasBothSides) {
  run(CommandId::hold);
  driver_.app().apply(SetSentence{wide});
  driver_.settle();
  for (const char* slot : {"compare A", "compare B"}) {
    const auto at = driver_.cell(slot, 7, 1);
    ASSERT_TRUE(at) << slot;
    driver_.hover(*at);
    EXPECT_TRUE(screen_contains("A: “it”")) << slot;
    EXPECT_TRUE(screen_contains("B: “it”")) << slot;
  }
}

TEST_F(Compare, SwapsAndReleases) {
  run(CommandId::hold);
  driver_.paste_sentence(wide);
  run(CommandId::swap_subjects);
  EXPECT_EQ(driver_.session().sentence, tired);
  EXPECT_EQ(driver_.session().compared.front().sentence, wide);
  run(CommandId::undo);
  EXPECT_EQ(driver_.session().sentence, wide);
  run(CommandId::release);
  EXPECT_TRUE(driver_.session().compared.empty());
}

TEST_F(Compare, TheDifferenceIsTheOneFromWhatIsHeld) {
  run(PageName::explore);
  run(CommandId::hold);
  driver_.paste_sentence(wide);
  run(CommandId::toggle_causal);
  run(CommandId::toggle_difference);
  driver_.frames(3);
  const MapKey& key = map("large").key;
  ASSERT_TRUE(key.against);
  EXPECT_FALSE(key.against->mask_spec(key.stage).causal) << "as it was held, not as it was before the mask";
  EXPECT_EQ(key.against->tokens().back().text, "tired");
}

TEST_F(Compare, LongMapsSettle) {
  std::string words = "one";
  for (int i = 1; i < 1200; ++i) words += " word" + std::to_string(i % 37);
  driver_.app().run(CommandId::open_untrained);
  driver_.app().apply(SetSentence{words});
  driver_.settle();
  run(CommandId::hold);
  AttentionOptions options = driver_.session().attention;
  options.temperature = 2.0F;
  driver_.app().apply(test::with(driver_.session(), options));
  driver_.settle();
  for (const char* slot : {"compare A", "compare B", "compare difference"}) {
    EXPECT_TRUE(map(slot).is_ready()) << slot;
    EXPECT_FALSE(map(slot).is_empty) << slot;
  }
  EXPECT_EQ(map("compare A").key.picture, map("compare B").key.picture);
}

TEST_F(Compare, SaysWhyNothingIsHeldThere) {
  driver_.app().apply(SetSentence{""});
  driver_.settle();
  run(CommandId::hold);
  driver_.app().apply(SetSentence{wide});
  driver_.settle();
  EXPECT_TRUE(screen_contains("There is nothing to compare with"));
  EXPECT_FALSE(screen_contains("Computing…"));
}

TEST_F(Compare, WeightsThatWereSwappedInStay) {
  const ModelRef trained = driver_.session().model;
  driver_.app().apply(SetCompared{reduce(driver_.session(), OpenModel{nullptr}).subject()});
  run(CommandId::swap_subjects);
  EXPECT_FALSE(driver_.session().model);
  run(CommandId::swap_subjects);
  driver_.frames(5);
  EXPECT_EQ(driver_.session().model, trained);
}

}  // namespace
}  // namespace headscope
