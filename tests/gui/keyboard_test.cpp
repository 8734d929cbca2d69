#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "core/lesson/read_lesson.h"
#include "core/text/utf8.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

/// Types characters as an American keyboard sends them: key down, character, key up. One that no key has
/// arrives alone, as from an input method.
void type_on_keys(HeadlessWindow& window, std::string_view text) {
  constexpr std::string_view with_shift = R"(~!@#$%^&*()_+{}|:"<>?)";
  constexpr std::string_view without = R"(`1234567890-=[]\;',./)";
  for (const char32_t character : code_points(text)) {
    const std::string letter = to_utf8(character);
    const std::size_t shifted = with_shift.find(letter);
    const bool is_small = character >= 'a' && character <= 'z';
    const bool is_capital = character >= 'A' && character <= 'Z';
    const char32_t label = is_small                       ? character - 'a' + 'A'
                           : shifted != std::string::npos ? static_cast<unsigned char>(without[shifted])
                                                          : character;
    const auto key = static_cast<Key>(label);
    const bool has_key = label < 0x80U;
    const bool has_shift = is_capital || shifted != std::string::npos;
    if (has_shift) window.key_down(Key::left_shift);
    if (has_key) window.key_down(key);
    window.type(letter);
    if (has_key) window.key_up(key);
    if (has_shift) window.key_up(Key::left_shift);
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
    driver.window().press(command(CommandId::toggle_causal).chord);
    driver.settle();
    EXPECT_EQ(is_causal(driver), before != (round % 2 == 1)) << "round " << round;
  }
}

TEST(Keyboard, WhatIsTypedRightAfterAFieldIsOpenedReachesIt) {
  AppDriver driver;
  const bool before = is_causal(driver);
  driver.window().press(command(CommandId::edit_sentence).chord);
  driver.window().press({Key::a, true});
  type_on_keys(driver.window(), "the cat can climb");
  driver.settle();
  EXPECT_EQ(driver.session().sentence, "the cat can climb");
  EXPECT_EQ(is_causal(driver), before) << "a letter that was typed is no command";
}

TEST(Keyboard, WhatIsTypedBeginsASentenceFromEveryPage) {
  std::string typed = "é−∞字😀";
  for (char letter = ' '; letter <= '~'; ++letter) typed += letter;
  AppDriver driver;
  driver.paste_sentence("a cat");
  for (const PageRecord& page : page_records()) {
    if (!is_view(page.name)) continue;
    driver.app().apply(SetView{page.name});
    driver.press({Key::escape});
    for (const char32_t character : code_points(typed)) {
      ASSERT_FALSE(text_has_focus());
      Session expected = driver.session();
      const bool begins = page.shows_session_pass && character != U' ';
      if (begins) expected.sentence = to_utf8(character);
      type_on_keys(driver.window(), to_utf8(character));
      driver.frames(8);
      EXPECT_EQ(driver.session(), expected) << page.title << ": “" << to_utf8(character) << "”";
      // A space gives the keyboard to the control that had it last.
      if (character != U' ') {
        EXPECT_EQ(text_has_focus(), begins);
      }
      driver.window().press({Key::escape});
      driver.frames(8);
      driver.app().apply(SetSentence{"a cat"});
    }
    EXPECT_EQ(screen_contains("This page has no sentence"), !page.shows_session_pass) << page.title;
  }
}

TEST(Keyboard, WhatIsTypedWhilePresentingBeginsASentence) {
  for (const PageName page : {PageName::explore, PageName::words}) {
    AppDriver driver;
    driver.press(page);
    driver.press(CommandId::present);
    driver.click({640.0F, 500.0F});
    type_on_keys(driver.window(), "The cat can climb");
    driver.settle();
    EXPECT_EQ(driver.session().sentence, "The cat can climb");
    EXPECT_TRUE(text_has_focus());
    driver.press({Key::escape});
    EXPECT_FALSE(text_has_focus());
    EXPECT_TRUE(driver.app().screen().presents) << "Escape goes back one step";
    type_on_keys(driver.window(), "b");
    driver.settle();
    EXPECT_TRUE(driver.app().screen().is_black);
    type_on_keys(driver.window(), "xb");
    driver.settle();
    EXPECT_FALSE(driver.app().screen().is_black);
    // Remote controls send a period.
    type_on_keys(driver.window(), ".");
    driver.settle();
    EXPECT_TRUE(driver.app().screen().is_black);
    type_on_keys(driver.window(), ".");
    driver.settle();
    EXPECT_FALSE(driver.app().screen().is_black);
    type_on_keys(driver.window(), "-;");
    driver.settle();
    EXPECT_EQ(driver.session().sentence, "The cat can climb") << "a key of the presentation is no text";
    type_on_keys(driver.window(), "Both cats can");
    driver.settle();
    EXPECT_EQ(driver.session().sentence, "Both cats can");
  }
}

TEST(Keyboard, TheLettersThatFollowTheFirstAreNotLost) {
  AppDriver driver;
  driver.focus_sentence();
  type_on_keys(driver.window(), " today");
  driver.window().press({Key::escape});
  driver.frames(2);
  const std::string before = driver.session().sentence;
  ASSERT_TRUE(before.ends_with(" today"));
  type_on_keys(driver.window(), "Thé cät sat on ß.");
  driver.settle();
  EXPECT_EQ(driver.session().sentence, "Thé cät sat on ß.");
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().sentence, before) << "typing is one step, and not the one before it";
}

TEST(Keyboard, EachCommandHasItsOwnKeysAndLeavesTextAlone) {
  std::map<std::string, std::string> owners;
  AppDriver driver;
  for (const Command& each : all_commands()) {
    for (const auto& chord : {std::optional(each.chord), each.other_chord}) {
      if (!chord) continue;
      EXPECT_TRUE(owners.emplace(chord_name(*chord), each.name).second)
          << chord_name(*chord) << ": " << each.name << ", " << owners[chord_name(*chord)];
      EXPECT_FALSE(is_text(*chord) && is_enabled(driver.app(), each.id)) << each.name << " takes a letter";
    }
  }
}

/// The chords that a text names, such as “Ctrl+Shift+Z”.
std::vector<std::string> chords_named_in(const std::string& text) {
  static const std::regex chord("((Ctrl|Alt|Shift)\\+)+(Page Up|Page Down|[A-Z0-9.]\\b)");
  std::vector<std::string> named;
  for (std::sregex_iterator at(text.begin(), text.end(), chord), end; at != end; ++at)
    named.push_back(at->str());
  return named;
}

TEST(Keyboard, LessonsAndReadmesNameTheKeysOfCommands) {
  std::map<std::string, std::string> texts;
  for (const EmbeddedFile& lesson : lesson_files()) texts[std::string(lesson.name)] = lesson.text;
  for (const char* const path : {"/app/README.md", "/assets/README.md", "/README.md"}) {
    std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + path);
    texts[path].assign(std::istreambuf_iterator<char>(file), {});
  }
  std::string known;
  for (const Command& each : all_commands()) known += each.keys() + "\n";
  const std::regex bare("[Pp]ress [A-Z\\[.]( |,|\\.|:)|\\((Shift\\+)?[A-Z]\\)");
  int n_named = 0;
  for (const auto& [name, text] : texts) {
    EXPECT_FALSE(std::regex_search(text, bare)) << name << " names a letter that is text";
    for (const std::string& chord : chords_named_in(text)) {
      ++n_named;
      const bool is_key = std::regex_search(
          known,
          std::regex("(^|\n| or )" + std::regex_replace(chord, std::regex("[+.]"), "\\$&") + "(\n| or )"));
      EXPECT_TRUE(is_key || chord == "Alt+D") << name << ": " << chord;
    }
  }
  EXPECT_GT(n_named, 30);
  for (const PageRecord& page : page_records()) {
    if (!is_view(page.name)) continue;
    const std::string title = "*" + std::string(page.title) + "* (";
    const std::size_t at = texts["/app/README.md"].find(title);
    ASSERT_NE(at, std::string::npos) << page.title;
    const std::string keys = texts["/app/README.md"].substr(at + title.size(), 20);
    EXPECT_NE(command(page.name).keys().find(keys.substr(0, keys.find(')'))), std::string::npos)
        << page.title;
  }
}

TEST(Keyboard, TheSentenceTakesTheKeyboardFromAnotherItem) {
  AppDriver driver;
  const auto at = driver.cell("large", 7, 1);
  ASSERT_TRUE(at);
  driver.click(*at);
  driver.focus_sentence();
  EXPECT_TRUE(text_has_focus());
}

/// The text that is visible in the sentence field.
std::string shown_in_field() {
  std::string shown;
  for (const ScreenText& run : read_screen()) {
    const Box box = run.box();
    const bool in_field = box.y > 56.0F && box.bottom() < 104.0F && box.x < 740.0F;
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
      driver.app().apply(load_preset("The paper"));
      driver.settle();
    }
  }
}

TEST(Keyboard, AnEmojiIsNotSaidToStandElsewhereThanItReads) {
  AppDriver driver;
  driver.paste_sentence("😀 it was tired");
  EXPECT_TRUE(text_has_focus());
  EXPECT_FALSE(screen_contains("in which they are typed"));
  driver.press({Key::escape});
  EXPECT_EQ(driver.session().sentence, "😀 it was tired");
}

TEST(Keyboard, TabLeavesTheSentenceForTheNextItem) {
  AppDriver driver;
  driver.focus_sentence();
  ASSERT_TRUE(text_has_focus());
  driver.press({Key::tab});
  EXPECT_FALSE(text_has_focus());
  EXPECT_FALSE(screen_contains("Architectures, untrained")) << "nothing is pressed";
  driver.press({Key::space});
  EXPECT_TRUE(screen_contains("Architectures, untrained")) << "it stands on the list of models";
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
  EXPECT_FALSE(text_has_focus());
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
  EXPECT_TRUE(text_has_focus());
  driver.window().type(" moon");
  driver.settle();
  EXPECT_EQ(driver.session().sentence, source);
  EXPECT_NE(driver.session().target.find("moon"), std::string::npos);
  driver.press({Key::tab});
  EXPECT_FALSE(text_has_focus());
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
  driver.window().key_down(Key::left_control);
  driver.window().key_down(Key::left_shift);
  driver.window().mouse_down();
  driver.window().focus(false);
  driver.settle();
  EXPECT_FALSE(is_key_down(Key::left_control));
  EXPECT_FALSE(ImGui::IsMouseDown(ImGuiMouseButton_Left));
  driver.window().focus(true);
  type_on_keys(driver.window(), "c");
  driver.settle();
  EXPECT_EQ(driver.session().sentence, "c") << "no modifier is stuck";
}

TEST(Keyboard, WhatWasPressedBeforeTheWindowLostItCounts) {
  AppDriver driver;
  const bool before = is_causal(driver);
  driver.window().mouse_move(3.0F, 3.0F);
  driver.window().press(command(CommandId::toggle_causal).chord);
  driver.window().focus(false);
  driver.settle();
  EXPECT_NE(is_causal(driver), before);
}

}  // namespace
}  // namespace headscope
