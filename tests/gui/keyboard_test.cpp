#include <gtest/gtest.h>

#include "core/text/utf8.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

/// Types plain letters and spaces as a keyboard sends them: key down, character, key up.
void type_on_keys(HeadlessWindow& window, std::string_view text) {
  for (const char letter : text) {
    const bool is_small = letter >= 'a' && letter <= 'z';
    const auto key = static_cast<Key>(is_small ? letter - 'a' + 'A' : letter);
    window.key_down(key);
    window.type(std::string_view(&letter, 1));
    window.key_up(key);
  }
}

bool is_causal(const AppDriver& driver) {
  return driver.session().attention.mask.causal;
}

TEST(Keyboard, AKeyRightAfterEscapeIsACommand) {
  AppDriver driver;
  const bool before = is_causal(driver);
  for (int round = 1; round <= 5; ++round) {
    driver.window().press(command(CommandId::edit_sentence).chord);
    driver.window().press({Key::escape});
    type_on_keys(driver.window(), "c");
    driver.settle();
    EXPECT_EQ(is_causal(driver), before != (round % 2 == 1)) << "round " << round;
  }
}

TEST(Keyboard, WhatIsTypedRightAfterAFieldIsOpenedReachesIt) {
  AppDriver driver;
  const bool before = is_causal(driver);
  type_on_keys(driver.window(), "s");
  driver.window().press({Key::a, true});
  type_on_keys(driver.window(), "the cat can climb");
  driver.settle();
  EXPECT_EQ(driver.session().sentence, "the cat can climb");
  EXPECT_EQ(is_causal(driver), before) << "a letter that was typed is no command";
}

TEST(Keyboard, TheSentenceTakesTheKeyboardFromAnotherItem) {
  AppDriver driver;
  const auto at = driver.cell("large", 7, 1);
  ASSERT_TRUE(at);
  driver.click(*at);
  driver.focus_sentence();
  EXPECT_TRUE(text_has_keyboard());
}

/// The text that is visible in the sentence field.
std::string shown_in_field() {
  std::string shown;
  for (const ScreenText& run : read_screen()) {
    const Box box = run.box();
    const bool in_field = box.y > 56.0F && box.bottom() < 104.0F && box.x < 900.0F;
    if (in_field) shown += run.text;
  }
  return shown;
}

TEST(Keyboard, TheFieldShowsAShortTextThatTakesALongOnesPlace) {
  std::string long_text;
  for (int i = 0; i < 120; ++i) long_text += "animal ";
  const std::string middle =
      "the quick brown fox jumps over the lazy dog and runs away from the old grey wolf until it can see neither the wood nor the trees";
  for (const std::string& before : {long_text, middle, std::string("短い文") + long_text}) {
    for (const bool leaves : {false, true}) {
      AppDriver driver;
      driver.paste_sentence("one two three");
      driver.settle();
      driver.frames(90);  // later typing is a separate step of undo
      driver.paste_sentence(before);
      if (leaves) driver.press({Key::escape});
      driver.press(CommandId::undo);
      driver.frames(4);
      EXPECT_EQ(driver.session().sentence, "one two three");
      EXPECT_EQ(shown_in_field(), "onetwothree") << "after undo";
      driver.press(CommandId::redo);
      EXPECT_GT(shown_in_field().size(), 40U) << "after redo: " << shown_in_field();
      driver.paste_sentence("a cat");
      EXPECT_EQ(shown_in_field(), "acat") << "after a paste";
      driver.press(CommandId::undo);
      EXPECT_GT(shown_in_field().size(), 40U) << "after another undo: " << shown_in_field();
      driver.app().apply(LoadPreset{"The paper"});
      driver.settle();
    }
  }
}

TEST(Keyboard, TabLeavesTheSentenceForTheNextItem) {
  AppDriver driver;
  driver.focus_sentence();
  ASSERT_TRUE(text_has_keyboard());
  driver.press({Key::tab});
  EXPECT_FALSE(text_has_keyboard());
  EXPECT_TRUE(driver.session().batch.empty()) << "nothing is pressed";
  driver.press({Key::space});
  EXPECT_EQ(driver.session().batch.size(), 2U) << "it stands on “+ sentence”";
}

TEST(Keyboard, BothUsualKeysRedo) {
  for (const Chord& redo : {Chord{Key::z, true, true}, Chord{Key::y, true}}) {
    AppDriver driver;
    driver.press(CommandId::toggle_causal);
    driver.press(CommandId::undo);
    EXPECT_FALSE(driver.session().attention.mask.causal);
    driver.press(redo);
    EXPECT_TRUE(driver.session().attention.mask.causal);
  }
}

TEST(Keyboard, ShiftTabLeavesTheSentenceForTheBarAbove) {
  AppDriver driver;
  driver.focus_sentence();
  driver.press({Key::tab, false, true});
  EXPECT_FALSE(text_has_keyboard());
  driver.press({Key::space});
  EXPECT_TRUE(driver.app().screen().export_form.open) << "it stands on “Export”";
}

TEST(Keyboard, TabGoesFromTheSourceToTheTargetAndOn) {
  AppDriver driver;
  driver.app().run(CommandId::open_reversing);
  driver.settle();
  driver.focus_sentence();
  const std::string source = driver.session().sentence;
  driver.press({Key::tab});
  EXPECT_TRUE(text_has_keyboard());
  driver.window().type(" moon");
  driver.settle();
  EXPECT_EQ(driver.session().sentence, source);
  EXPECT_NE(driver.session().target.find("moon"), std::string::npos);
  driver.press({Key::tab});
  EXPECT_FALSE(text_has_keyboard());
}

TEST(Keyboard, ShortcutsAndTextOfOneMomentKeepTheirOrder) {
  AppDriver driver;
  driver.focus_sentence();
  driver.window().press({Key::a, true});
  type_on_keys(driver.window(), "one two");
  driver.window().press({Key::a, true});
  driver.window().press({Key::c, true});
  type_on_keys(driver.window(), "a");
  driver.window().press({Key::v, true});
  driver.window().press({Key::backspace});
  type_on_keys(driver.window(), "e");
  driver.settle();
  EXPECT_EQ(driver.session().sentence, "aone twe");
}

TEST(Keyboard, ManyLettersFitIntoOneFrame) {
  AppDriver driver;
  driver.focus_sentence();
  type_on_keys(driver.window(), " and the dog too");
  driver.frames(2);
  EXPECT_FALSE(driver.window().has_pending_input()) << "fast typing does not wait for the screen";
}

TEST(Keyboard, AFastChordQuits) {
  AppDriver driver;
  driver.window().press({Key::q, true});
  driver.settle();
  EXPECT_TRUE(driver.app().wants_to_quit());
}

TEST(Keyboard, NothingIsHeldOnceTheWindowHasLostIt) {
  AppDriver driver;
  const bool before = is_causal(driver);
  driver.window().key_down(Key::left_control);
  driver.window().key_down(Key::left_shift);
  driver.window().mouse_down();
  driver.window().focus(false);
  driver.settle();
  EXPECT_FALSE(key_held(Key::left_control));
  EXPECT_FALSE(ImGui::IsMouseDown(ImGuiMouseButton_Left));
  driver.window().focus(true);
  type_on_keys(driver.window(), "c");
  driver.settle();
  EXPECT_NE(is_causal(driver), before) << "no modifier is stuck";
}

TEST(Keyboard, WhatWasPressedBeforeTheWindowLostItCounts) {
  AppDriver driver;
  const bool before = is_causal(driver);
  driver.window().mouse_move(3.0F, 3.0F);
  type_on_keys(driver.window(), "c");
  driver.window().focus(false);
  driver.settle();
  EXPECT_NE(is_causal(driver), before);
}

}  // namespace
}  // namespace headscope
