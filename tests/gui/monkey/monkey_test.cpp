// Walks of random events through the window without a display. They are built with the assertions of the
// standard library and of ImGui. Environment variables:
// HEADSCOPE_MONKEY_EVENTS  the number of events, in walks of at most 400 (default 2,000)
// HEADSCOPE_MONKEY_SEED    the seed of the first walk; the next walks count on from it (default 1)
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "app/ui/ui.h"
#include "core/session/presets.h"
#include "tests/gui/draw_data.h"
#include "tests/gui/monkey/black_box.h"
#include "tests/gui/monkey/random_events.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/invariants.h"

#ifdef __SANITIZE_ADDRESS__
/// AddressSanitizer's function, declared here because GCC does not install its header.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace headscope::monkey {
namespace {

constexpr int events_of_walk = 400;

unsigned number_from(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

/// Compares what undo restores: everything except what only changes the view, and the weights that training
/// has found in the meantime.
void expect_same_work(const Session& now, const Session& then) {
  EXPECT_EQ(now.sentence, then.sentence);
  EXPECT_EQ(now.target, then.target);
  EXPECT_EQ(now.batch, then.batch);
  EXPECT_EQ(now.tokenizer, then.tokenizer);
  EXPECT_EQ(now.architecture, then.architecture);
  EXPECT_EQ(now.task, then.task);
  EXPECT_EQ(now.attention, then.attention);
  EXPECT_EQ(now.sampling, then.sampling);
  EXPECT_EQ(now.picture, then.picture);
}

/// Writes a session and reads it back, and expects the same session. Trained weights and loaded masks stay in
/// separate files, and so does everything that refers to them.
void expect_same_when_reopened(const Session& session) {
  const auto without_files = [](Subject& subject) {
    AttentionOptions& attention = subject.attention;
    for (MaskSpec* mask : {&attention.mask, &attention.target_mask, &attention.cross_mask})
      mask->loaded.clear();
  };
  Session kept = session;
  without_files(kept);
  for (Subject& compared : kept.compared) without_files(compared);
  kept = repaired(kept, Session{});
  std::vector<ModelRef> models{kept.model};
  for (const Subject& compared : kept.compared) models.push_back(compared.model);
  const auto read = session_from_json(to_json(kept), models);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(kept));
  EXPECT_EQ(*read, kept);
}

/// A walk may have started a training that would run forever.
void stop_training(AppDriver& driver) {
  driver.frames(2);
  const auto now = driver.app().scene().training.progress;
  if (now && now->state == TrainingState::running) driver.app().run(CommandId::train);
}

/// One program from its start to its end, with everything that happens to it.
class Walk {
 public:
  explicit Walk(unsigned seed)
      : dice_(seed),
        driver_({dice_.log_uniform(1, 4000), dice_.log_uniform(1, 2500)},
                dice_.coin() ? 1.0F : dice_.real(0.5F, 3.0F), settings(dice_, folder_)),
        start_(driver_.session()),
        events_(driver_, dice_, folder_ / "") {}

  void run(int n_events) {
    for (int i = 0; i < n_events && !testing::Test::HasFailure(); ++i) {
      black_box::note(events_.act() + where());
      take_in_input();
      constexpr int look_closer_after = 20;
      if (i % look_closer_after == 0) look_closer();
    }
    if (testing::Test::HasFailure()) return;
    come_to_rest();
    look_closer();
    go_back_and_forth();
  }

 private:
  static Settings settings(Dice& dice, const TemporaryFolder& folder) {
    Settings settings;
    settings.export_folder = (folder / "").string();
    if (dice.coin()) settings.ui_scale = dice.real(smallest_ui_scale, largest_ui_scale);
    const std::vector<Preset> all = presets();
    if (dice.coin()) settings.session = dice.of(all).session;
    return settings;
  }

  /// Describes what the program shows when an event arrives.
  std::string where() {
    const Session& session = driver_.session();
    const PixelSize size = driver_.window().framebuffer_size();
    return "   [view " + std::to_string(static_cast<int>(session.view)) + ", " + std::to_string(size.width) +
           " × " + std::to_string(size.height) + " at " +
           std::to_string(driver_.app().settings().ui_scale.value_or(driver_.window().content_scale())) +
           ", " + std::to_string(n_source_tokens(session)) + " tokens]";
  }

  void frame() {
    driver_.app().frame();
    EXPECT_EQ(draw_data_fault(), "");
  }

  /// Draws as many frames as the input needs, up to a limit, because further input may arrive while they are
  /// drawn.
  void take_in_input() {
    constexpr int most = 6;
    int n = 0;
    do {
      frame();
    } while (driver_.window().has_pending_input() && ++n < most);
  }

  void look_closer() {
    expect_invariants(driver_.session());
    expect_same_when_reopened(driver_.session());
  }

  /// Expects the requested pass to be shown and no further frames to be due.
  void come_to_rest() {
    black_box::note("(comes to rest)");
    driver_.window().mouse_move(-10.0F, -10.0F);
    for (const Key key : {Key::left_control, Key::left_shift, Key::left_alt}) driver_.window().key_up(key);
    while (driver_.window().has_pending_input()) frame();
    stop_training(driver_);
    driver_.settle();
    // Messages disappear by themselves.
    constexpr int max_frames = 3000;
    constexpr double ever = 9.9;
    int n = 0;
    while (driver_.app().pacer().sleep_seconds() < ever && n < max_frames) {
      if (driver_.window().wait_events(0.0)) driver_.app().pacer().event();
      frame();
      ++n;
    }
    EXPECT_LT(n, max_frames) << "frames are due although nothing happens";
    EXPECT_FALSE(driver_.window().wait_events(0.0));
    EXPECT_TRUE(driver_.app().trace() || !driver_.app().error().empty() ||
                tokenize(driver_.session().sentence, driver_.session().tokenizer).empty());
  }

  /// Undoes every step, and redoes them all.
  void go_back_and_forth() {
    black_box::note("(undoes everything)");
    while (driver_.app().can_redo()) driver_.app().redo();
    const Session end = driver_.session();
    for (int n = 0; driver_.app().can_undo(); ++n) {
      driver_.app().undo();
      constexpr int draw_every = 10;
      if (n % draw_every == 0) frame();
    }
    stop_training(driver_);
    driver_.settle();
    expect_same_work(driver_.session(), start_);
    black_box::note("(does everything again)");
    while (driver_.app().can_redo()) driver_.app().redo();
    stop_training(driver_);
    driver_.settle();
    expect_same_work(driver_.session(), end);
  }

  TemporaryFolder folder_;
  Dice dice_;
  AppDriver driver_;
  Session start_;
  RandomEvents events_;
};

/// The heap memory in use according to the allocator, which is AddressSanitizer's if there is one.
std::size_t bytes_in_use() {
#ifdef __SANITIZE_ADDRESS__
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

TEST(Monkey, NothingBreaks) {
  const auto n_events = static_cast<int>(number_from("HEADSCOPE_MONKEY_EVENTS", 2000));
  unsigned seed = number_from("HEADSCOPE_MONKEY_SEED", 1);
  black_box::watch_signals();
  // Anything that is loaded once and kept, especially by libraries, is in memory after the first walks.
  constexpr int first_walks = 2;
  constexpr std::size_t megabyte = 1U << 20U;
  constexpr std::size_t max_left = 16 * megabyte;
  std::size_t usual = 0;
  for (int left = n_events, n_walks = 0; left > 0; left -= events_of_walk, ++n_walks, ++seed) {
    const int events_now = std::min(left, events_of_walk);
    black_box::begin_walk(seed, events_now);
    Walk(seed).run(events_now);
    if (HasFailure()) return black_box::print();
    const std::size_t bytes = bytes_in_use();
    if (n_walks < first_walks) usual = std::max(usual, bytes);
    EXPECT_LE(bytes, usual + max_left) << "after walk " << n_walks << " (seed " << seed << ")";
  }
}

}  // namespace
}  // namespace headscope::monkey
