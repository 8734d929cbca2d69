#include <gtest/gtest.h>

#include <cmath>

#include "core/paint/font_files.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

TEST(AppTest, OpensOnTheDefaultSentenceWithItSelected) {
  AppDriver driver;
  EXPECT_EQ(driver.session().sentence, default_sentence);
  ASSERT_TRUE(driver.app().trace());
  EXPECT_EQ(driver.trace().n_tokens(), 11);
  ASSERT_TRUE(driver.session().selection.token);
  EXPECT_EQ(driver.tokens()[static_cast<std::size_t>(*driver.session().selection.token)], "it");
  EXPECT_EQ(driver.app().error(), "");
  expect_rows_sum_to_one(driver.trace());
  EXPECT_TRUE(screen_contains("11 tokens"));
  EXPECT_TRUE(screen_contains("Rows are queries, columns are keys"));
}

TEST(AppTest, EveryKeystrokeChangesTheSessionAndThePass) {
  AppDriver driver;
  driver.focus_sentence();
  std::string expected = default_sentence;
  for (const std::string letter : {" ", "t", "o", "d", "a", "y"}) {
    const auto before = driver.app().trace();
    driver.window().type(letter);
    driver.settle();
    expected += letter;
    EXPECT_EQ(driver.session().sentence, expected);
    if (letter != " ") {
      EXPECT_NE(driver.app().trace(), before);
      EXPECT_EQ(driver.trace().n_tokens(), 12);
      EXPECT_EQ(expected.substr(expected.rfind(' ') + 1), driver.tokens().back());
    }
  }
  driver.press(Chord{Key::backspace});
  EXPECT_EQ(driver.tokens().back(), "toda");
}

TEST(AppTest, AClickIntoTheSentenceBeginsTyping) {
  AppDriver driver;
  const auto written = find_text(default_sentence);
  ASSERT_FALSE(written.empty());
  driver.click({written.front().right() - 1.0F, written.front().y + written.front().h / 2.0F});
  driver.press(Chord{Key::end});
  driver.window().type("!");
  driver.settle();
  EXPECT_EQ(driver.tokens().back(), "!");
}

TEST(AppTest, TypingInOneRunIsOneStepOfUndo) {
  AppDriver driver;
  const Session start = driver.session();
  driver.focus_sentence();
  constexpr int frames_a_letter = 3;
  for (const char* letter : {" ", "t", "o", "d", "a", "y"}) {
    driver.window().type(letter);
    driver.frames(frames_a_letter);
  }
  const Session typed = driver.session();
  ASSERT_NE(typed.sentence, start.sentence);
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().sentence, start.sentence);
  EXPECT_FALSE(driver.app().can_undo());
  EXPECT_EQ(driver.trace().n_tokens(), 11);
  driver.press(CommandId::redo);
  EXPECT_EQ(driver.session().sentence, typed.sentence);
  EXPECT_EQ(driver.tokens().back(), "today");
  driver.press(CommandId::undo);
  driver.window().type("!");
  driver.settle();
  EXPECT_EQ(driver.session().sentence, std::string(default_sentence) + "!") << "the field follows the undo";
}

TEST(AppTest, TheCausalKeyHidesEveryLaterKeyInEveryHead) {
  AppDriver driver;
  driver.press(CommandId::toggle_causal);
  ASSERT_TRUE(driver.session().attention.mask.causal);
  for (int head = 0; head < driver.trace().architecture().n_heads; ++head) {
    const MatrixView masked =
        driver.trace().value({StageKind::masked, Stack::encoder, 0, AttentionKind::self, head});
    for (int query = 0; query < masked.rows; ++query) {
      for (int key = 0; key < masked.cols; ++key) {
        EXPECT_EQ(masked(query, key) == -INFINITY, key > query) << head << ": " << query << ", " << key;
        EXPECT_EQ(weight(driver.trace(), head, query, key) == 0.0F, key > query);
      }
    }
  }
  expect_rows_sum_to_one(driver.trace());
  driver.press(CommandId::toggle_causal);
  EXPECT_FALSE(driver.session().attention.mask.causal);
  EXPECT_GT(weight(driver.trace(), 0, 0, 10), 0.0F);
}

TEST(AppTest, PlainKeysAreLettersWhileTheSentenceIsEdited) {
  AppDriver driver;
  driver.focus_sentence();
  driver.window().key_down(Key::c);
  driver.window().type("c");
  driver.window().key_up(Key::c);
  driver.settle();
  EXPECT_FALSE(driver.session().attention.mask.causal);
  EXPECT_EQ(driver.tokens().back(), "tiredc");
}

TEST(AppTest, BracketsGoRoundTheHeads) {
  AppDriver driver;
  const int n_heads = driver.session().architecture.n_heads;
  const int start = driver.session().selection.head;
  for (int i = 1; i <= n_heads; ++i) {
    driver.press(CommandId::next_head);
    EXPECT_EQ(driver.session().selection.head, (start + i) % n_heads);
    EXPECT_EQ(driver.app().screen().memo.maps["large"].key.stage.head, (start + i) % n_heads);
  }
  driver.press(CommandId::previous_head);
  EXPECT_EQ(driver.session().selection.head, (start + n_heads - 1) % n_heads);
}

TEST(AppTest, StagesAndTokensAreReachedByKeys) {
  AppDriver driver;
  const StageKind stage = driver.session().selection.stage;
  driver.press(CommandId::next_stage);
  EXPECT_NE(driver.session().selection.stage, stage);
  driver.press(CommandId::previous_stage);
  EXPECT_EQ(driver.session().selection.stage, stage);
  const int token = driver.session().selection.token.value_or(-1);
  driver.press(CommandId::next_token);
  EXPECT_EQ(driver.session().selection.token, token + 1);
  driver.press(CommandId::previous_token);
  EXPECT_EQ(driver.session().selection.token, token);
}

TEST(AppTest, TheSelectedTokenFollowsItsWord) {
  AppDriver driver;
  driver.paste_sentence("Yesterday " + std::string(default_sentence));
  ASSERT_TRUE(driver.session().selection.token);
  EXPECT_EQ(driver.tokens()[static_cast<std::size_t>(*driver.session().selection.token)], "it");
}

struct Look {
  PixelSize size;
  float scale;
};
class EveryView : public testing::TestWithParam<Look> {};

TEST_P(EveryView, DrawsAtThisSizeAndInBothThemes) {
  AppDriver driver(GetParam().size, GetParam().scale);
  for (const PageName view : {PageName::explore, PageName::stages, PageName::heads}) {
    driver.press(view);
    EXPECT_EQ(driver.session().view, view);
    for (int theme = 0; theme < 2; ++theme) {
      driver.press(CommandId::toggle_theme);
      EXPECT_GT(driver.window().draw_counts().vertices, 1000U);
      const bool has_room = GetParam().size.width >= static_cast<int>(1200.0F * GetParam().scale);
      EXPECT_EQ(find_text("Headscope").empty(), !has_room);
      const bool shows_a_map = view != PageName::stages;
      EXPECT_EQ(screen_contains("Rows are queries, columns are keys"), shows_a_map);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryView,
                         testing::Values(Look{{640, 400}, 1.0F}, Look{{1280, 800}, 1.0F},
                                         Look{{1920, 1080}, 1.0F}, Look{{1280, 800}, 2.0F},
                                         Look{{2560, 1600}, 2.0F}));

TEST(AppTest, AWindowOfAnySizeIsSurvived) {
  AppDriver driver;
  for (const PixelSize size : {PixelSize{1, 1}, PixelSize{320, 200}, PixelSize{200, 2000},
                               PixelSize{4000, 120}, PixelSize{1280, 800}}) {
    driver.window().resize(size);
    driver.settle();
  }
  EXPECT_TRUE(screen_contains("11 tokens"));
}

/// A picture drawn in the frame of a key press is kept, so its background and its letters must have the same
/// theme.
TEST(AppTest, TheThemeKeyChangesEveryMapAlsoUnderTheMouse) {
  for (const PageName view : {PageName::explore, PageName::stages, PageName::heads, PageName::positions,
                              PageName::words, PageName::split}) {
    AppDriver driver;
    driver.app().run(view);
    driver.settle();
    for (int i = 0; i < 3; ++i) {
      driver.window().mouse_move(700.0F, 450.0F + static_cast<float>(i));
      driver.press(CommandId::toggle_theme);
      for (const auto& [slot, map] : driver.app().screen().memo.maps)
        EXPECT_TRUE(map.figure.background == theme_of(map.key.picture.theme).panel) << slot;
    }
  }
}

/// The button goes down and up within one moment after the window has slept. No later event may be needed to
/// see the effect.
TEST(AppTest, AVeryShortClickIsDrawnBeforeTheNextSleep) {
  AppDriver driver;
  const auto boxes = find_text("Heads");
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_GT(driver.frames_until_asleep(), 0.0);
  driver.window().click(boxes[0].x + 2.0F, boxes[0].y + 2.0F);
  driver.frames_until_asleep();
  EXPECT_EQ(driver.session().view, PageName::heads);
  EXPECT_TRUE(screen_contains("What does head 0.0 do?"));
}

TEST(AppTest, LettersThatNoFontHasAreSaidOnceWithTheirPackage) {
  constexpr char32_t ethiopic = 0x1208;
  if (find_font_files()->fallback(ethiopic, false))
    GTEST_SKIP() << "a font with Ethiopic letters is installed";
  AppDriver driver;
  driver.paste_sentence("\u1208 cat");
  EXPECT_TRUE(screen_contains("apt install fonts-noto-core"));
  constexpr int until_others_go = 1200;
  driver.frames(until_others_go);
  const auto dismiss = find_text("dismiss");
  ASSERT_EQ(dismiss.size(), 1U) << "a warning stays until it has been read";
  driver.click({dismiss[0].x + 2.0F, dismiss[0].y + 2.0F});
  ASSERT_FALSE(screen_contains("apt install"));
  driver.paste_sentence("\u1209 dog");
  EXPECT_FALSE(screen_contains("apt install"));
}

TEST(AppTest, TheThemeKeyChangesTheTheme) {
  AppDriver driver;
  EXPECT_EQ(driver.session().picture.theme, ThemeName::light);
  driver.press(CommandId::toggle_theme);
  EXPECT_EQ(driver.session().picture.theme, ThemeName::dark);
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().picture.theme, ThemeName::light);
}

TEST(AppTest, TheHelpSheetListsEveryCommandAndCloses) {
  AppDriver driver({1280, 1600});
  EXPECT_FALSE(screen_contains("Keyboard and mouse"));
  driver.press(CommandId::help);
  ASSERT_TRUE(screen_contains("Keyboard and mouse"));
  for (const Command& command : all_commands()) EXPECT_TRUE(screen_contains(command.name)) << command.name;
  const bool causal = driver.session().attention.mask.causal;
  driver.press(CommandId::toggle_causal);
  EXPECT_EQ(driver.session().attention.mask.causal, causal) << "what lies under the sheet rests";
  driver.press(Chord{Key::escape});
  EXPECT_FALSE(screen_contains("Keyboard and mouse"));
  EXPECT_TRUE(driver.session().selection.token) << "this Escape was the sheet's";
}

TEST(AppTest, NoTwoCommandsShareAKey) {
  for (const Command& a : all_commands()) {
    for (const Command& b : all_commands()) {
      EXPECT_TRUE(&a == &b || !(a.chord == b.chord)) << a.name << " and " << b.name;
    }
  }
}

TEST(AppTest, EscapeTakesBackOneThingAtATime) {
  AppDriver driver;
  driver.app().apply(PinCell{{{StageKind::weights}, 3, 4}});
  driver.press(CommandId::toggle_paint);
  ASSERT_TRUE(driver.app().screen().is(ClickMode::painting));
  driver.press(CommandId::unpin);
  EXPECT_FALSE(driver.app().screen().is(ClickMode::painting));
  EXPECT_TRUE(driver.session().selection.pin);
  driver.press(CommandId::unpin);
  EXPECT_FALSE(driver.session().selection.pin);
  EXPECT_TRUE(driver.session().selection.token);
  driver.press(CommandId::unpin);
  EXPECT_TRUE(driver.session().selection.token) << "Escape never leads to an empty picture";
}

TEST(AppTest, TheEscapeThatClosesAListKeepsThePin) {
  AppDriver driver;
  driver.app().apply(PinCell{{{StageKind::weights}, 3, 4}});
  driver.frames(2);
  const auto model = find_text("Untrained");
  ASSERT_FALSE(model.empty());
  driver.click({model.front().x + 20.0F, model.front().y + 4.0F});  // the list of models
  driver.frames(2);
  ASSERT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  driver.press(CommandId::unpin);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  EXPECT_TRUE(driver.session().selection.pin);
  driver.press(CommandId::unpin);
  EXPECT_FALSE(driver.session().selection.pin);
}

TEST(AppTest, TheDifferenceIsShownWhileItsKeyIsHeld) {
  AppDriver driver;
  const auto before = driver.app().trace();
  driver.press(CommandId::toggle_causal);
  const MapKey& key = driver.app().screen().memo.maps["large"].key;
  EXPECT_EQ(key.against, nullptr);
  driver.window().key_down(Key::left_alt);
  driver.window().key_down(Key::d);
  driver.wait_until("for the difference", [&] { return key.against != nullptr; });
  EXPECT_FALSE(driver.session().difference) << "the key changes nothing";
  EXPECT_EQ(key.against->options(), before->options());
  const MapPanel& map = driver.app().screen().memo.maps["large"];
  const StageNumbers numbers = map.source->read({0, 0, map.extent.rows, map.extent.cols});
  const MatrixView& change = numbers.view;
  const int head = driver.session().selection.head;
  for (int query = 0; query < change.rows; ++query) {
    for (int key_token = 0; key_token < change.cols; ++key_token) {
      EXPECT_NEAR(change(query, key_token),
                  weight(driver.trace(), head, query, key_token) - weight(*before, head, query, key_token),
                  1e-6F);
    }
  }
  driver.window().key_up(Key::d);
  driver.window().key_up(Key::left_alt);
  driver.settle();
  EXPECT_EQ(key.against, nullptr);
  driver.press(CommandId::toggle_difference);
  driver.wait_until("for the difference by its switch", [&] { return key.against != nullptr; });
}

TEST(AppTest, TheInterfaceGrowsAndGoesBack) {
  AppDriver driver;
  driver.press(CommandId::larger);
  const float larger = driver.app().settings().ui_scale.value_or(0.0F);
  EXPECT_GT(larger, 1.0F);
  driver.press(CommandId::smaller);
  EXPECT_FLOAT_EQ(driver.app().settings().ui_scale.value_or(0.0F), 1.0F);
  driver.press(CommandId::default_size);
  EXPECT_FALSE(driver.app().settings().ui_scale);
  for (int i = 0; i < 40; ++i) driver.app().run(CommandId::larger);
  driver.settle();
  EXPECT_LE(driver.app().settings().ui_scale.value_or(0.0F), 4.0F);
}

TEST(AppTest, TheQuitKeyEndsIt) {
  AppDriver driver;
  EXPECT_FALSE(driver.app().wants_to_quit());
  driver.press(CommandId::quit);
  EXPECT_TRUE(driver.app().wants_to_quit());
}

TEST(AppTest, SleepsWhenNothingHappensButNotPastAMessage) {
  AppDriver driver;
  EXPECT_GT(driver.frames_until_asleep(), 1.0);
  driver.app().notify("something happened");
  driver.app().pacer().event();
  EXPECT_LE(driver.frames_until_asleep(), 5.0) << "the message would stay until the next input";
}

TEST(AppTest, SleepsNotPastATooltip) {
  AppDriver driver;
  driver.frames_until_asleep();
  const auto causal = find_text("Causal mask");
  ASSERT_FALSE(causal.empty());
  driver.window().mouse_move(causal.front().x + 2.0F, causal.front().y + 2.0F);
  EXPECT_LE(driver.frames_until_asleep(), 2.0) << "the tooltip would come with the next input only";
}

}  // namespace
}  // namespace headscope
