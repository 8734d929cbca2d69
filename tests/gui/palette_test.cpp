#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/shell/commands.h"
#include "core/lesson/read_lesson.h"
#include "core/palette/glossary.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

/// Opens the palette, types, and presses Enter.
void find(AppDriver& driver, std::string_view typed) {
  driver.press(CommandId::palette);
  driver.window().type(typed);
  driver.settle();
}
void find_and_enter(AppDriver& driver, std::string_view typed) {
  find(driver, typed);
  driver.press(Chord{Key::enter});
}

TEST(PaletteSheet, EnterDoesWhatIsFoundAndUndoTakesItBack) {
  AppDriver driver;
  const bool before = driver.session().attention.mask.causal;
  find_and_enter(driver, "causal mask on");
  EXPECT_FALSE(driver.app().screen().palette.open);
  EXPECT_TRUE(driver.session().attention.mask.causal);
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().attention.mask.causal, before);
}

TEST(PaletteSheet, EveryCommandIsFoundByItsName) {
  AppDriver driver;
  for (const Command& each : all_commands()) {
    if (each.is(CommandId::palette)) continue;
    driver.app().screen().palette.open = false;
    driver.frames(2);  // frames without the field, because ImGui restores the text of a field that returns in
                       // the next frame
    find(driver, each.name);
    const auto& found = driver.app().screen().palette.found;
    if (!is_enabled(driver.app(), each.id)) {
      EXPECT_TRUE(std::ranges::none_of(found, [&](const auto& one) { return one.entry.name == each.name; }));
      continue;
    }
    ASSERT_FALSE(found.empty()) << each.name;
    EXPECT_EQ(found.front().entry.name, each.name);
    EXPECT_EQ(found.front().entry.shortcut, each.keys());
  }
}

TEST(PaletteSheet, WhatPeopleCallThingsIsFound) {
  AppDriver driver;
  const auto palette = palette_of(driver.app());
  for (const char* query : {"patch", "logit lens", "direct logit attribution", "OV circuit", "rope", "numpy",
                            "python", "capture", "attention sink", "ablation", "glossary"})
    EXPECT_FALSE(palette->find(query).empty()) << query;
  find(driver, "softmax");
  EXPECT_TRUE(screen_contains("Turns a row of scores into shares"));
}

TEST(PaletteSheet, EveryTermLeadsToALessonThatThereIs) {
  for (const Term& term : glossary()) {
    const auto has_name = [&](const EmbeddedFile& file) { return file.name == term.lesson; };
    EXPECT_TRUE(term.lesson.empty() || std::ranges::any_of(lesson_files(), has_name)) << term.name;
  }
}

TEST(PaletteSheet, OpensOverATextThatIsTyped) {
  AppDriver driver;
  driver.focus_sentence();
  driver.press(CommandId::palette);
  EXPECT_TRUE(driver.app().screen().palette.open);
  EXPECT_TRUE(screen_contains("Edit the sentence"));
  driver.press(Chord{Key::escape});
  EXPECT_FALSE(driver.app().screen().palette.open);
}

TEST(PaletteSheet, ArrowsChooseAnotherLineAndGoRound) {
  AppDriver driver;
  find(driver, "head ");
  const auto& form = driver.app().screen().palette;
  ASSERT_GT(form.found.size(), 2U);
  driver.press(Chord{Key::down});
  EXPECT_EQ(form.selected, 1);
  driver.press(Chord{Key::up});
  driver.press(Chord{Key::up});
  EXPECT_EQ(form.selected, static_cast<int>(form.found.size()) - 1);
  driver.window().type("3");
  driver.settle();
  EXPECT_EQ(form.selected, 0) << "what was selected is not there any more";
}

TEST(PaletteSheet, AClickChooses) {
  AppDriver driver;
  find(driver, "0.1");
  const auto at = find_text("Layer 0, head 1");
  ASSERT_EQ(at.size(), 1U);
  driver.click({at.front().x + 4.0F, at.front().y + 4.0F});
  EXPECT_FALSE(driver.app().screen().palette.open);
  EXPECT_EQ(driver.session().selection.layer, 0);
  EXPECT_EQ(driver.session().selection.head, 1);
}

TEST(PaletteSheet, ATokenAPageAndASentence) {
  AppDriver driver;
  find_and_enter(driver, "street");
  EXPECT_EQ(driver.tokens()[static_cast<std::size_t>(driver.session().selection.token.value_or(0))],
            "street");
  find_and_enter(driver, "predictions");
  EXPECT_EQ(driver.session().view, PageName::words);
  driver.press(CommandId::open_copying);
  const std::string before = driver.session().sentence;
  find_and_enter(driver, "example");
  EXPECT_FALSE(driver.app().screen().palette.open);
  EXPECT_EQ(driver.session().task, "copying");
}

TEST(PaletteSheet, ALetterIsNoCommandWhileItIsOpen) {
  AppDriver driver;
  const Session before = driver.session();
  driver.press(CommandId::palette);
  for (const Key key : {Key::c, Key::h, Key::n, Key::r}) driver.press(Chord{key});
  EXPECT_EQ(driver.session(), before);
}

TEST(PaletteSheet, ANumberedSettingGoesToItsControl) {
  AppDriver driver;
  find_and_enter(driver, "learning rate");
  EXPECT_EQ(driver.session().view, PageName::train);
  const float before = driver.session().attention.temperature;
  find_and_enter(driver, "temperature 0.5");
  EXPECT_FLOAT_EQ(driver.session().attention.temperature, 0.5F);
  driver.press(CommandId::undo);
  EXPECT_FLOAT_EQ(driver.session().attention.temperature, before);
}

TEST(PaletteSheet, WhatWasOpenBeforeIsARecentModel) {
  AppDriver driver;
  driver.press(CommandId::open_copying);
  driver.press(CommandId::train_reset);
  driver.press(CommandId::train_step);
  driver.wait_until("a step", [&] { return driver.session().model && driver.session().model->steps > 0; });
  const ModelRef trained = driver.session().model;
  driver.press(CommandId::new_seed);
  driver.press(CommandId::open_pronouns);
  driver.wait_until("pronouns", [&] { return driver.session().task == "pronouns"; });
  find_and_enter(driver, "copying recent");
  EXPECT_EQ(driver.session().task, "copying");
  EXPECT_EQ(driver.session().model, trained);
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().task, "pronouns");
}

}  // namespace
}  // namespace headscope
