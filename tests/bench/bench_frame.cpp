// Measures how long the UI thread takes to build a frame that shows the weights of 8 heads or, in the
// benchmarks deep_…, of the large model with 12 layers of 12 heads: from taking over the workers' results to
// ImGui's draw lists. The window has no display, so what a driver does with the draw lists and with the maps'
// pixels is not included. Argument: T. Each frame is timed separately, and the median is the result.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/shell/app.h"
#include "core/engine/opening.h"
#include "core/page/lines/lines_page.h"
#include "core/page/parts/small_pictures.h"
#include "core/system/process.h"
#include "tests/gui/headless_window.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

constexpr PixelSize window_size{1440, 900};

std::string distinct_words(int n) {
  std::string sentence;
  for (int i = 0; i < n; ++i) sentence += (i == 0 ? "word" : " word") + std::to_string(i);
  return sentence;
}

struct Heads {
  int n_layers = 1;
  int in_layer = 8;
  int d_model = 64;
  int n() const { return n_layers * in_layer; }
};
constexpr Heads eight{};
constexpr Heads many{12, 12, 192};

Settings all_heads(const Heads& heads, int n_tokens) {
  Settings settings;
  settings.session.sentence = distinct_words(n_tokens);
  settings.session.architecture.d_model = heads.d_model;
  settings.session.architecture.n_heads = heads.in_layer;
  settings.session.architecture.n_layers = heads.n_layers;
  settings.session.view = PageName::heads;
  settings.session.selection.stage = StageKind::weights;
  settings.session.selection.token.reset();
  return settings;
}

/// Two passes of the large model side by side, with different weights.
Settings two_passes(int n_tokens) {
  Settings settings = all_heads(many, n_tokens);
  Session& session = settings.session;
  Subject other = session.subject();
  ++other.architecture.seed;
  session = reduce(session, SetView{PageName::compare});
  session = reduce(session, SetCompared{other});
  return settings;
}

/// The program in the Heads view, or in the view that compares two passes, with all its maps drawn.
class Screen {
 public:
  explicit Screen(int n_tokens, const Heads& heads = eight) : Screen(heads, all_heads(heads, n_tokens)) {}
  Screen(const Heads& heads, const Settings& settings)
      : heads_(heads), window_(make_headless_window(window_size)), app_(*window_, settings) {
    constexpr int frames_after_settling = 8;
    for (int settled = 0; settled < frames_after_settling;) {
      app_.frame();
      settled = app_.settled() ? settled + 1 : 0;
      if (settled == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  App& app() { return app_; }
  HeadlessWindow& window() { return *window_; }

  double frame_seconds() {
    const auto begin = std::chrono::steady_clock::now();
    app_.frame();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  bool shows_all() { return app_.session().view == PageName::compare ? shows_both() : shows_heads(); }

 private:
  /// Returns whether the maps of both passes and of their difference are drawn.
  bool shows_both() {
    const auto& maps = app_.screen().memo.maps;
    const auto is_drawn = [](const auto& slot) {
      return slot.second.is_ready() && !slot.second.is_empty && slot.second.problem.empty();
    };
    const auto is_new = [&](const auto& slot) { return slot.second.key.trace == app_.trace(); };
    constexpr std::size_t n_maps = 3;
    return maps.size() >= n_maps && std::ranges::all_of(maps, is_drawn) && std::ranges::any_of(maps, is_new);
  }
  /// Returns whether the weights of all heads of the pass on the screen are drawn, those of the selected head
  /// also as a large map.
  bool shows_heads() {
    const PageMemo& memo = app_.screen().memo;
    const auto* pictures = memo.results.last<SmallPictures>();
    const auto large = memo.maps.find("large");
    return pictures != nullptr && pictures->asked.size() == static_cast<std::size_t>(heads_.n()) &&
           pictures->asked.front().trace == app_.trace() && memo.results.ready_result(*pictures) != nullptr &&
           large != memo.maps.end() && large->second.key.trace == app_.trace() && large->second.is_ready() &&
           !large->second.is_empty;
  }

  Heads heads_;
  std::unique_ptr<HeadlessWindow> window_;
  App app_;
};

void report(benchmark::State& state, std::vector<double>& seconds) {
  std::ranges::sort(seconds);
  constexpr double to_ms = 1e3;
  state.counters["median_ms"] = seconds[seconds.size() / 2] * to_ms;
  state.counters["slow_ms"] = seconds[seconds.size() * 99 / 100] * to_ms;
}

/// Times `next_frame` once per iteration, and reports the median and the 99th percentile.
template <class NextFrame>
void time_frames(benchmark::State& state, Screen& screen, const NextFrame& next_frame) {
  std::vector<double> seconds;
  for ([[maybe_unused]] auto _ : state) {
    const double taken = next_frame();
    state.SetIterationTime(taken);
    seconds.push_back(taken);
  }
  if (!screen.shows_all()) return state.SkipWithError("the maps are not on the screen");
  report(state, seconds);
}

void unchanged(benchmark::State& state) {
  Screen screen(static_cast<int>(state.range(0)));
  time_frames(state, screen, [&] { return screen.frame_seconds(); });
}

void deep_unchanged(benchmark::State& state) {
  Screen screen(static_cast<int>(state.range(0)), many);
  time_frames(state, screen, [&] { return screen.frame_seconds(); });
}

/// Returns places all over the window where the mouse is on a cell of a map.
std::vector<Point> places_on_maps(Screen& screen) {
  constexpr int step = 10;
  std::vector<Point> places;
  for (int y = 0; y < window_size.height; y += step) {
    for (int x = 0; x < window_size.width; x += step) {
      const Point place{static_cast<float>(x), static_cast<float>(y)};
      screen.window().mouse_move(place.x, place.y);
      screen.app().frame();
      if (screen.app().screen().next_hovered) places.push_back(place);
    }
  }
  return places;
}

/// Times frames while the mouse moves from cell to cell of the maps.
void time_mouse_on_maps(benchmark::State& state, Screen& screen) {
  const std::vector<Point> places = places_on_maps(screen);
  if (places.empty()) return state.SkipWithError("the mouse finds no map");
  std::size_t next = 0;
  time_frames(state, screen, [&] {
    const Point& place = places[next++ % places.size()];
    screen.window().mouse_move(place.x, place.y);
    return screen.frame_seconds();
  });
}

/// Moves the mouse over the maps, so that the cell under it is marked and its value shown.
void mouse_over_maps(benchmark::State& state) {
  Screen screen(static_cast<int>(state.range(0)));
  time_mouse_on_maps(state, screen);
}

/// Moves the mouse over the heads and the large map.
void deep_mouse(benchmark::State& state) {
  Screen screen(static_cast<int>(state.range(0)), many);
  int at = 0;
  time_frames(state, screen, [&] {
    at = (at + 37) % 1000;
    screen.window().mouse_move(300.0F + 0.8F * static_cast<float>(at),
                               350.0F + 0.4F * static_cast<float>(at));
    return screen.frame_seconds();
  });
}

/// Returns the time of the longest frame, from the one that takes in a new pass to the one that shows all its
/// maps, which are coloured, laid out and labelled again.
template <class Change>
double longest_frame(Screen& screen, const Change& change) {
  App& app = screen.app();
  const auto shown = app.trace();
  change();
  double longest = 0.0;
  const auto is_done = [&] { return app.trace() != shown && screen.shows_all(); };
  while (!is_done()) {
    const double taken = screen.frame_seconds();
    if (app.trace() != shown) longest = std::max(longest, taken);
    // The workers have the processor to themselves meanwhile, and wake the window when they are done.
    while (!is_done() && !screen.window().wait_events(0.0)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return longest;
}

void new_pass(benchmark::State& state) {
  Screen screen(static_cast<int>(state.range(0)));
  time_frames(state, screen, [&] {
    return longest_frame(screen, [&] {
      Architecture architecture = screen.app().session().architecture;
      ++architecture.seed;
      screen.app().apply(test::with(screen.app().session(), architecture));
    });
  });
}

/// Times the longest frame after the causal mask has been switched on or off.
void time_other_masks(benchmark::State& state, Screen& screen) {
  time_frames(state, screen, [&] {
    return longest_frame(screen, [&] {
      AttentionOptions attention = screen.app().session().attention;
      set_causal(attention.mask, !attention.mask.causal);
      screen.app().apply(test::with(screen.app().session(), attention));
    });
  });
}

void deep_new_pass(benchmark::State& state) {
  Screen screen(static_cast<int>(state.range(0)), many);
  time_other_masks(state, screen);
}

/// Moves the mouse over the maps of two passes, so that the cell of the same words is marked in the other
/// pass.
void deep_compare(benchmark::State& state) {
  Screen screen(many, two_passes(static_cast<int>(state.range(0))));
  time_mouse_on_maps(state, screen);
}

/// Replaces one of the two passes with another.
void deep_compare_new_pass(benchmark::State& state) {
  Screen screen(many, two_passes(static_cast<int>(state.range(0))));
  time_other_masks(state, screen);
}

/// Opens another head in every iteration.
void deep_opening(benchmark::State& state) {
  Screen screen(static_cast<int>(state.range(0)), many);
  int next = 0;
  time_frames(state, screen, [&] {
    next = (next + 1) % many.n();
    screen.app().apply(open_head({next / many.in_layer, next % many.in_layer}));
    return screen.frame_seconds();
  });
}

/// Adds a letter to the sentence in every iteration.
void typing(benchmark::State& state) {
  Screen screen(static_cast<int>(state.range(0)));
  const std::string sentence = screen.app().session().sentence;
  int n_typed = 0;
  time_frames(state, screen, [&] {
    return longest_frame(screen, [&] {
      ++n_typed;
      screen.app().apply(SetSentence{sentence + " " + std::string(static_cast<std::size_t>(n_typed), 'a')});
    });
  });
}

/// Builds 60 frames of the training page per second while a model is being trained.
void while_training(benchmark::State& state) {
  auto window = make_headless_window(window_size);
  Settings settings;
  const auto session = startup_session(bundled_model_folders());
  if (!session) return state.SkipWithError(session.error().message.c_str());
  settings.session = reduce(*session, SetView{PageName::train});
  settings.session.training.steps = training_limits::max_steps;
  App app(*window, settings);
  app.dispatch(SceneOrder::toggle_training);
  const auto trains = [&] {
    const auto now = app.scene().training.progress;
    return now && now->state == TrainingState::running;
  };
  while (!trains()) app.frame();
  std::vector<double> seconds;
  auto due = std::chrono::steady_clock::now();
  for ([[maybe_unused]] auto _ : state) {
    due += std::chrono::microseconds(16'667);
    std::this_thread::sleep_until(due);
    const auto begin = std::chrono::steady_clock::now();
    app.frame();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    state.SetIterationTime(seconds.back());
  }
  if (!trains()) return state.SkipWithError("the training ended before the frames");
  report(state, seconds);
}

/// Returns settings that show the lines of all heads, as many as can be drawn.
Settings all_lines(int n_tokens) {
  Settings settings = all_heads(many, n_tokens);
  settings.session.view = PageName::lines;
  settings.session.picture.line_threshold = 0.0F;
  for (int layer = 0; layer < many.n_layers; ++layer) {
    for (int head = 0; head < many.in_layer; ++head)
      settings.session.selection.heads.push_back({layer, head});
  }
  return settings;
}

/// Moves the mouse over the page of lines, which isolates the lines of the token under it.
void deep_lines(benchmark::State& state) {
  auto window = make_headless_window(window_size);
  App app(*window, all_lines(static_cast<int>(state.range(0))));
  const auto lines_are_there = [&] {
    const auto page = app.screen().pages.find(PageName::lines);
    return page != app.screen().pages.end() && page->second.page.figure.items.size() > max_drawn_lines;
  };
  while (!lines_are_there()) app.frame();
  std::vector<double> seconds;
  int at = 0;
  for ([[maybe_unused]] auto _ : state) {
    at = (at + 37) % 1000;
    window->mouse_move(300.0F + 0.8F * static_cast<float>(at), 350.0F + 0.4F * static_cast<float>(at));
    const auto begin = std::chrono::steady_clock::now();
    app.frame();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    state.SetIterationTime(seconds.back());
  }
  report(state, seconds);
}

void lengths(benchmark::internal::Benchmark* benchmark, int n_frames) {
  benchmark->ArgName("T")->Arg(64)->Arg(512)->UseManualTime()->Iterations(n_frames);
}

BENCHMARK(unchanged)->Apply([](auto* b) { lengths(b, 2000); });
BENCHMARK(mouse_over_maps)->Apply([](auto* b) { lengths(b, 2000); });
BENCHMARK(while_training)->ArgName("T")->Arg(11)->UseManualTime()->Iterations(300);
BENCHMARK(new_pass)->Apply([](auto* b) { lengths(b, 100); });
BENCHMARK(deep_unchanged)->ArgName("T")->Arg(64)->UseManualTime()->Iterations(1000);
BENCHMARK(deep_mouse)->ArgName("T")->Arg(64)->UseManualTime()->Iterations(1000);
BENCHMARK(deep_opening)->ArgName("T")->Arg(64)->UseManualTime()->Iterations(300);
BENCHMARK(deep_new_pass)->ArgName("T")->Arg(64)->UseManualTime()->Iterations(50);
BENCHMARK(deep_compare)->Apply([](auto* b) { lengths(b, 1000); });
BENCHMARK(deep_compare_new_pass)->Apply([](auto* b) { lengths(b, 50); });
BENCHMARK(deep_lines)->Apply([](auto* b) { lengths(b, 1000); });
BENCHMARK(typing)->Apply([](auto* b) { lengths(b, 100); });

}  // namespace
}  // namespace headscope

BENCHMARK_MAIN();
