#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "core/engine/request.h"
#include "core/session/settings.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/invariants.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

using Texts = std::vector<std::string>;

TEST(BadInput, AnEmptySentenceShowsWhatToDo) {
  AppDriver driver;
  driver.paste_sentence("");
  EXPECT_EQ(driver.session().sentence, "");
  EXPECT_FALSE(driver.app().trace());
  EXPECT_TRUE(screen_contains("Type a sentence"));
  for (const PageName view : {PageName::stages, PageName::heads, PageName::explore}) driver.press(view);
  for (const Command& command : all_commands()) {
    if (command.group != std::string("File")) driver.app().run(command.id);
  }
  driver.settle();
  driver.app().apply(SetSentence{"here again"});
  driver.settle();
  EXPECT_EQ(driver.tokens(), (Texts{"here", "again"}));
}

TEST(BadInput, OneTokenAttendsToItself) {
  AppDriver driver;
  driver.paste_sentence("one");
  ASSERT_EQ(driver.tokens(), Texts{"one"});
  EXPECT_EQ(weight(driver.trace(), 0, 0, 0), 1.0F);
  const auto cell = driver.cell("large", 0, 0);
  ASSERT_TRUE(cell);
  driver.click(*cell);
  EXPECT_TRUE(driver.session().selection.pin);
}

TEST(BadInput, BlanksOfAnyKindSeparateWords) {
  AppDriver driver;
  driver.paste_sentence("one\ttwo\nthree\r\n  four");
  EXPECT_EQ(driver.tokens(), (Texts{"one", "two", "three", "four"}));
  driver.paste_sentence(" \t \n ");
  EXPECT_FALSE(driver.app().trace());
}

TEST(BadInput, TextOfAnyScriptIsComputed) {
  AppDriver driver;
  for (const auto& [sentence, n_tokens] : {std::pair<std::string, int>{"그는 매우 피곤했다", 3},
                                           {"smile 😀 again", 3},
                                           {"Ωμέγα “quoted” naïve", 3},
                                           {"עברית مرحبا", 2},
                                           {"e\u0301\u0301\u0301 \u200B\u202E x", 1}}) {
    driver.app().apply(SetSentence{sentence});
    driver.settle();
    EXPECT_EQ(driver.session().sentence, sentence);
    ASSERT_TRUE(driver.app().trace());
    EXPECT_GE(driver.trace().n_tokens(), n_tokens) << sentence;
    expect_rows_sum_to_one(driver.trace());
  }
  driver.paste_sentence("he was 피곤");
  EXPECT_EQ(driver.tokens(), (Texts{"he", "was", "피곤"}));
}

TEST(BadInput, InvalidUtf8BecomesValid) {
  AppDriver driver;
  driver.paste_sentence("bad \xFF\xC3 byte");
  EXPECT_EQ(driver.trace().n_tokens(), 3);
  expect_invariants(driver.session());
  driver.app().apply(SetSentence{"worse \x80\xE2\x82"});
  driver.settle();
  expect_invariants(driver.session());
}

TEST(BadInput, NoncharactersAreKeptAndSaved) {
  AppDriver driver;
  const TemporaryFolder folder;
  driver.app().screen().export_form.folder = (folder / "").string();
  const std::string sentence = "a \uFFFE \uFFFF \U0010FFFF b";
  driver.app().apply(SetSentence{sentence});
  driver.settle();
  EXPECT_EQ(driver.tokens().size(), 5U);
  driver.press(CommandId::export_figure);
  EXPECT_EQ(folder.n_files(), 1U);
  EXPECT_EQ(driver.session().sentence, sentence);
}

TEST(BadInput, FiveThousandWordsAreCutWithANotice) {
  AppDriver driver;
  // Softmax over queries needs whole maps. Many narrow heads reach the limit with the least computation.
  driver.set_sizes(16, 16);
  AttentionOptions over_queries = driver.session().attention;
  over_queries.softmax = SoftmaxAxis::queries;
  driver.app().apply(test::with(driver.session(), over_queries));
  std::string sentence;
  for (int i = 0; i < 5000; ++i) sentence += "word" + std::to_string(i % 700) + " ";
  driver.paste_sentence(sentence);
  const int limit = max_tokens(request_of(driver.session()));
  ASSERT_LT(limit, 5000);
  EXPECT_EQ(driver.trace().n_sentence_tokens(), 5000);
  EXPECT_EQ(driver.trace().n_tokens(), limit);
  EXPECT_TRUE(screen_contains("5,000 tokens of at most"));
  EXPECT_TRUE(screen_contains("are shown"));
  for (const PageName view : {PageName::stages, PageName::heads, PageName::explore}) {
    driver.app().run(view);
    driver.frames(2);
  }
  driver.press(CommandId::undo);
}

TEST(BadInput, AWordOfAThousandLettersIsOneToken) {
  AppDriver driver;
  driver.paste_sentence("short " + std::string(1000, 'x') + " short");
  EXPECT_EQ(driver.trace().n_tokens(), 3);
  for (const PageName view : {PageName::stages, PageName::heads, PageName::explore}) driver.press(view);
}

/// For a frame or two, the selection refers to a model whose pass is still being computed, while the pass of
/// the old model is shown.
TEST(BadInput, ASelectionThatThePassDoesNotHaveYetPadsNothing) {
  AppDriver driver;
  driver.app().apply(SetBatch{{"one two three four five", "one"}});
  driver.app().apply(set_to("sequence", 1));
  driver.settle();
  ASSERT_GT(driver.trace().batch().n_padded, 0);
  Architecture both = driver.session().architecture;
  both.stacks = Stacks::encoder_decoder;
  driver.app().apply(test::with(driver.session(), both));
  for (const auto& [stack, attention] :
       {std::pair(Stack::decoder, AttentionKind::cross), std::pair(Stack::decoder, AttentionKind::self)}) {
    driver.app().apply(select_place(stack, 0, attention));
    driver.frames(1);
    const TokenStripSpec& strip = driver.app().screen().memo.strip.spec;
    EXPECT_TRUE(strip.padded.empty() || strip.padded.size() == strip.tokens.size());
  }
  driver.settle();
}

/// Generates random keys, clicks, drags, wheel movements, typing and sizes from a seed.
class Monkey {
 public:
  Monkey(AppDriver& driver, unsigned seed) : driver_(driver), random_(seed) {}

  void act() {
    HeadlessWindow& window = driver_.window();
    switch (whole(0, 9)) {
      case 0:
      case 1:
        window.press({any_key(), coin(), coin(), whole(0, 4) == 0});
        break;
      case 2:
        window.press(command());
        break;
      case 3:
      case 4: {
        const Point at = place();
        window.click(at.x, at.y, static_cast<MouseButton>(whole(0, 5) / 4));
        break;
      }
      case 5:
        window.drag(place(), place());
        break;
      case 6:
        window.mouse_move(place().x, place().y);
        window.mouse_wheel(0.0F, coin() ? 1.0F : -1.0F);
        break;
      case 7:
        if (coin()) window.press(headscope::command(CommandId::palette).chord);
        window.type(words_[static_cast<std::size_t>(whole(0, static_cast<int>(words_.size()) - 1))]);
        break;
      case 8:
        if (whole(0, 9) == 0) window.resize({whole(1, 1800), whole(1, 1200)});
        break;
      default:
        window.set_clipboard("pasted words, and more");
        window.press({Key::v, true});
    }
    driver_.frames(whole(1, 4));
  }

 private:
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool coin() { return whole(0, 1) == 1; }
  Point place() {
    const PixelSize size = driver_.window().framebuffer_size();
    return {static_cast<float>(whole(-5, size.width + 5)), static_cast<float>(whole(-5, size.height + 5))};
  }
  Key any_key() {
    return static_cast<Key>(coin() ? whole(static_cast<int>(Key::a), static_cast<int>(Key::z))
                                   : whole(static_cast<int>(Key::escape), static_cast<int>(Key::end)));
  }
  Chord command() {
    const auto all = all_commands();
    return all[static_cast<std::size_t>(whole(0, static_cast<int>(all.size()) - 1))].chord;
  }

  static constexpr std::array words_{"it ", " ", "65", "피곤", "😀", ".", "0", "-1", "the cat sat", "1e9"};
  AppDriver& driver_;
  std::mt19937 random_;
};

/// Compares what undo restores: everything except what only changes the view.
void expect_same_work(const Session& now, const Session& then) {
  EXPECT_EQ(now.sentence, then.sentence);
  EXPECT_EQ(now.tokenizer, then.tokenizer);
  EXPECT_EQ(now.architecture, then.architecture);
  EXPECT_EQ(now.attention, then.attention);
  EXPECT_EQ(now.picture, then.picture);
}

class RandomWalk : public testing::TestWithParam<unsigned> {};

/// A walk may have started a training that would run forever.
void stop_training(AppDriver& driver) {
  driver.frames(2);
  const auto now = driver.app().scene().training.progress;
  if (now && now->state == TrainingState::running) driver.app().run(CommandId::train);
}

TEST_P(RandomWalk, LeavesAValidSessionAndCanBeUndone) {
  const TemporaryFolder folder;
  Settings settings;
  settings.export_folder = (folder / "").string();
  AppDriver driver({1280, 800}, 1.0F, settings);
  const Session start = driver.session();
  Monkey monkey(driver, GetParam());
  constexpr int n_acts = 300;
  for (int i = 0; i < n_acts; ++i) {
    monkey.act();
    // Random paths must not be typed into the folder of the file dialog.
    driver.app().screen().export_form.folder = settings.export_folder;
    if (HasFailure()) return;
  }
  driver.window().resize({1280, 800});
  stop_training(driver);
  driver.settle();
  expect_invariants(driver.session());
  EXPECT_TRUE(driver.app().trace() || !driver.app().error().empty() ||
              tokenize(driver.session().sentence, driver.session().tokenizer).empty());
  while (driver.app().can_redo()) driver.app().redo();
  const Session end = driver.session();
  int steps = 0;
  for (; driver.app().can_undo(); ++steps) {
    driver.app().undo();
    expect_invariants(driver.session());
  }
  EXPECT_GT(steps, 0);
  stop_training(driver);
  driver.settle();
  expect_same_work(driver.session(), start);
  ASSERT_TRUE(driver.app().trace());
  EXPECT_EQ(driver.trace().n_tokens(), 11);
  while (driver.app().can_redo()) driver.app().redo();
  stop_training(driver);
  driver.settle();
  expect_same_work(driver.session(), end);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWalk, testing::Range(1U, 9U));

}  // namespace
}  // namespace headscope
