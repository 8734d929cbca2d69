#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/request.h"
#include "core/page/page_record.h"
#include "core/text/number_text.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

// Tests a sentence in the window whose maps do not fit into the memory of a pass.

namespace headscope {
namespace {

constexpr int n_words = 3000;

Settings long_settings() {
  Settings settings;
  settings.session.sentence.clear();
  for (int i = 0; i < n_words; ++i) settings.session.sentence += "word" + std::to_string(i % 700) + " ";
  settings.session.architecture.d_model = 64;
  settings.session.architecture.n_heads = 16;
  settings.session.attention.mask.causal = true;
  settings.session.selection.token = 2000;
  return settings;
}

class LongSentence : public ::testing::Test {
 protected:
  void SetUp() override { driver_.settle(); }

  const MapPanel& map() { return driver_.app().screen().memo.maps["large"]; }

  /// A point near the middle of the large map, and the cell there.
  std::pair<Point, Pin> middle_of_map() {
    const PixelSize size = driver_.window().framebuffer_size();
    for (float y = 0.8F; y > 0.6F; y -= 0.05F) {
      for (float x = 0.52F; x < 0.8F; x += 0.02F) {
        const Point at{x * static_cast<float>(size.width), y * static_cast<float>(size.height)};
        const auto cell = driver_.hover(at);
        const bool is_visible = cell && cell->col < cell->row;
        if (is_visible && cell->stage == map().key.stage && cell->stage.head == 0) return {at, *cell};
      }
    }
    ADD_FAILURE() << "the mouse finds no cell of the large map";
    return {};
  }

  void zoom_in(Point at) {
    driver_.hover(at);
    for (int i = 0; i < 30 && map().layout.raster; ++i) {
      driver_.window().mouse_wheel(0.0F, 1.0F);
      driver_.settle();
    }
  }

  AppDriver driver_{{1280, 800}, 1.0F, long_settings()};
};
using LongSentenceLong = LongSentence;

TEST_F(LongSentenceLong, IsNotCutAndKeepsLessThanItsMaps) {
  EXPECT_EQ(driver_.trace().n_tokens(), n_words);
  const double maps = 16.0 * n_words * n_words * sizeof(float);
  EXPECT_LT(static_cast<double>(driver_.trace().bytes()), maps);
}

TEST_F(LongSentenceLong, ItsMapIsZoomedToCellsThatSayTheirNumbers) {
  ASSERT_FALSE(map().is_empty);
  EXPECT_TRUE(map().layout.pooled);
  EXPECT_LT(map().layout.row_labels.size(), 100U) << "labels thin out";
  const auto [at, cell] = middle_of_map();
  zoom_in(at);
  ASSERT_FALSE(map().layout.raster) << "cells stand apart";
  EXPECT_FALSE(map().layout.row_labels.empty()) << "by name";
  const StageWindow& window = map().window;
  // Labels that appear or disappear move the map slightly under the mouse.
  constexpr double near = 64.0;
  EXPECT_NEAR(window.first_row + window.n_rows / 2, cell.row, near);
  EXPECT_NEAR(window.first_col + window.n_cols / 2, cell.col, near);
  driver_.click(at);
  driver_.settle();
  ASSERT_TRUE(driver_.session().selection.pin);
  const Pin pin = *driver_.session().selection.pin;
  EXPECT_TRUE(screen_contains(rounded_text(driver_.trace().number(pin.stage, pin.row, pin.col))))
      << "the inspector explains it";
}

TEST_F(LongSentenceLong, ItsMapIsPannedWithTheRightButton) {
  const auto [at, cell] = middle_of_map();
  zoom_in(at);
  const StageWindow before = map().window;
  driver_.window().mouse_down(MouseButton::right);
  driver_.frames(2);
  driver_.hover({at.x + 100.0F, at.y - 60.0F});
  driver_.window().mouse_up(MouseButton::right);
  driver_.settle();
  EXPECT_GT(map().window.first_row, before.first_row);
  EXPECT_LT(map().window.first_col, before.first_col);
  EXPECT_EQ(map().window.n_rows, before.n_rows);
}

TEST_F(LongSentenceLong, EveryViewDrawsIt) {
  for (const PageName view : {PageName::stages, PageName::heads, PageName::model, PageName::positions,
                              PageName::split, PageName::explore}) {
    driver_.press(view);
    for (const auto& [slot, shown] : driver_.app().screen().memo.maps) {
      EXPECT_TRUE(shown.is_ready()) << slot;
      EXPECT_EQ(shown.problem, "") << slot;
    }
  }
}

TEST_F(LongSentenceLong, NoFrameComputesWhatGrowsWithIt) {
  // Enough for a slow machine, and far less than what any pass over the maps of this text takes.
  constexpr std::chrono::milliseconds longest(300);
  std::string pasted;
  for (int i = 0; i < 8000; ++i) pasted += "other" + std::to_string(i % 900) + " ";
  EXPECT_LT(driver_.slowest_frame([&] { driver_.paste_sentence(pasted); }), longest);
  EXPECT_EQ(driver_.trace().n_tokens(), 8000);
  for (const PageRecord& record : page_records()) {
    if (!is_view(record.name)) continue;
    const auto slowest = driver_.slowest_frame([&] { driver_.press(record.name); });
    EXPECT_LT(slowest, longest) << record.title;
  }
}

/// Visits every page once, because the letters of a new size are drawn in the first frame that needs them.
void visit_every_page(AppDriver& driver) {
  for (const PageRecord& record : page_records()) {
    if (is_view(record.name)) driver.press(record.name);
  }
}

TEST(LongTextLong, IsReadBesideTheFrames) {
  AppDriver driver;
  driver.app().dispatch(OpenBundled{"stories"});
  driver.wait_until("for Stories", [&] { return driver.session().model && driver.app().settled(); });
  const std::string before = driver.session().sentence;
  visit_every_page(driver);
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "word" + std::to_string(i % 900) + " ";
  // No frame has time to read the text even once, with the fastest tokenizer there is, on any machine.
  const auto begin = cpu_time();
  EXPECT_EQ(tokenize(text, TokenizerKind::word).size(), 300'000U);
  const auto longest = cpu_time() - begin;
  const auto expect_short = [&](const std::string& what, const std::function<void()>& act) {
    EXPECT_LT(driver.slowest_frame(act), longest) << what;
  };
  driver.press(PageName::explore);
  expect_short("paste", [&] { driver.paste_sentence(text); });
  EXPECT_EQ(driver.session().sentence, text);
  expect_short("type", [&] {
    for (const char* letter : {"o", "n", "e"}) {
      driver.window().type(letter);
      driver.frames(2);
      EXPECT_TRUE(driver.session().sentence != text + "one") << "the letters do not wait for the session";
    }
    driver.settle();
  });
  EXPECT_EQ(driver.session().sentence, text + "one");
  expect_short("Escape", [&] { driver.press(Chord{Key::escape}); });
  expect_short("find", [&] { driver.press(CommandId::palette); });
  expect_short("close", [&] { driver.press(Chord{Key::escape}); });
  for (const PageRecord& record : page_records()) {
    if (is_view(record.name)) expect_short(std::string(record.title), [&] { driver.press(record.name); });
  }
  driver.press(PageName::explore);
  expect_short("undo", [&] {
    for (int i = 0; i < 30 && driver.session().sentence != before; ++i) driver.press(CommandId::undo);
  });
  EXPECT_EQ(driver.session().sentence, before);
  expect_short("redo", [&] {
    for (int i = 0; i < 30 && driver.app().can_redo(); ++i) driver.press(CommandId::redo);
  });
  EXPECT_EQ(driver.session().sentence, text + "one");
  driver.focus_sentence();
  driver.window().type("!");
  driver.frames(3);
  expect_short("quit", [&] { driver.window().press(command(CommandId::quit).chord); });
  EXPECT_EQ(driver.app().settings().session.sentence, text + "one!") << "what is being read is kept";
}

TEST(Passes, AreReleasedAfterEditsInEveryView) {
  AppDriver driver;
  std::vector<std::weak_ptr<const Trace>> passes;
  for (const PageRecord& record : page_records()) {
    if (!is_view(record.name)) continue;
    driver.press(record.name);
    driver.app().apply(SetSentence{"word" + std::to_string(passes.size()) + " sees the animal and it"});
    driver.settle();
    passes.push_back(driver.app().trace());
  }
  driver.press(PageName::explore);
  driver.app().apply(SetSentence{"the last one"});
  driver.settle();
  const auto n_alive = std::ranges::count_if(passes, [](const auto& pass) { return !pass.expired(); });
  EXPECT_LE(n_alive, 2) << "the pass before the edit, and that of A, with which the page Compare begins";
}

}  // namespace
}  // namespace headscope
