#include "tests/gui/app_driver.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience(180);
constexpr std::chrono::milliseconds poll_interval(1);

/// The settings are in sight, because most tests use them.
Settings with_controls(Settings settings) {
  settings.panels.has_controls = true;
  return settings;
}

}  // namespace

std::chrono::nanoseconds cpu_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

float weight(const Trace& trace, int head, int query, int key) {
  return trace.value({StageKind::weights, Stack::encoder, 0, AttentionKind::self, head})(query, key);
}

void expect_rows_sum_to_one(const Trace& trace) {
  for (int head = 0; head < trace.architecture().n_heads; ++head) {
    for (int query = 0; query < trace.n_tokens(); ++query) {
      double sum = 0.0;
      for (int key = 0; key < trace.n_tokens(); ++key)
        sum += static_cast<double>(weight(trace, head, query, key));
      EXPECT_NEAR(sum, 1.0, 1e-4) << "head " << head << ", query " << query;
    }
  }
}

AppDriver::AppDriver(PixelSize size, float content_scale, Settings settings,
                     const std::filesystem::path& kept)
    : window_(make_headless_window(size, content_scale)),
      app_(*window_, with_controls(std::move(settings)), kept) {
  settle();
}

std::vector<std::string> AppDriver::tokens() const {
  std::vector<std::string> texts;
  if (!app_.trace()) return texts;
  for (const Token& token : app_.trace()->tokens()) texts.push_back(token.text);
  return texts;
}

void AppDriver::draw_frame() {
  const auto begin = cpu_time();
  app_.run_jobs();
  app_.frame();
  slowest_frame_ = std::max(slowest_frame_, cpu_time() - begin);
}

std::chrono::milliseconds AppDriver::slowest_frame(const std::function<void()>& act) {
  slowest_frame_ = {};
  act();
  return std::chrono::duration_cast<std::chrono::milliseconds>(slowest_frame_);
}

void AppDriver::frames(int count) {
  for (int i = 0; i < count; ++i) draw_frame();
}

void AppDriver::wait_until(const char* what, const std::function<bool()>& done) {
  const auto start = Clock::now();
  while (!done()) {
    if (Clock::now() - start > patience) {
      ADD_FAILURE() << "waited in vain: " << what;
      return;
    }
    window_->wait_events(0.0);
    draw_frame();
    if (!window_->has_pending_input()) std::this_thread::sleep_for(poll_interval);
  }
}

void AppDriver::settle() {
  constexpr int frames_at_rest = 4;
  int at_rest = 0;
  frames(1);
  wait_until("for the picture to settle", [&] {
    at_rest = app_.settled() && !window_->has_pending_input() ? at_rest + 1 : 0;
    return at_rest > frames_at_rest;
  });
}

double AppDriver::frames_until_asleep() {
  for (int i = 0; i < 1000; ++i) {
    if (window_->wait_events(0.0)) app_.pacer().event();
    if (app_.pacer().sleep_seconds() > 0.0) return app_.pacer().sleep_seconds();
    app_.frame();
  }
  ADD_FAILURE() << "the program never sleeps";
  return 0.0;
}

void AppDriver::press(CommandOrView id) {
  press(command(id).chord);
}

void AppDriver::press(Chord chord) {
  window_->press(chord);
  settle();
}

void AppDriver::click(Point at) {
  window_->click(at.x, at.y);
  settle();
}

void AppDriver::open_group(const std::string& name) {
  if (app_.screen().settings.open.contains(name)) return;
  for (const Box& box : find_text(name)) {
    click({box.x + 2.0F, box.y + box.h / 2.0F});
    if (app_.screen().settings.open.contains(name)) return;
  }
  ADD_FAILURE() << "no group of settings is called " << name;
}

void AppDriver::focus_sentence() {
  press(CommandId::edit_sentence);
}

void AppDriver::paste_sentence(const std::string& sentence) {
  focus_sentence();
  window_->set_clipboard(sentence);
  window_->press({Key::a, true});
  window_->press(sentence.empty() ? Chord{Key::del} : Chord{Key::v, true});
  settle();
}

void AppDriver::set_sizes(int d_model, int n_heads) {
  Architecture architecture = session().architecture;
  architecture.d_model = d_model;
  architecture.n_heads = n_heads;
  app_.apply(test::with(session(), architecture));
  settle();
}

std::optional<Pin> AppDriver::hover(Point at) {
  window_->mouse_move(at.x, at.y);
  do {
    app_.frame();
  } while (window_->has_pending_input());
  return app_.screen().next_hovered;
}

float AppDriver::scale() {
  return app_.page_scale();
}

Point AppDriver::place_in(const MapPanel& map, Point origin, int row, int col) {
  const Box box = map.layout.box_of(row, col);
  return {origin.x + (box.x + box.w / 2.0F) * scale(), origin.y + (box.y + box.h / 2.0F) * scale()};
}

/// The edge of the cell under `hit`, to half a pixel.
float AppDriver::edge(Point hit, float reach, bool horizontal, const Pin& found) {
  float inside = horizontal ? hit.x : hit.y;
  float outside = inside - reach;
  while (inside - outside > 0.5F) {
    const float middle = (inside + outside) / 2.0F;
    const Point at = horizontal ? Point{middle, hit.y} : Point{hit.x, middle};
    (hover(at) == found ? inside : outside) = middle;
  }
  return inside;
}

/// The corner of the map if the cell under `hit` belongs to it. The same stage may also be shown elsewhere.
std::optional<Point> AppDriver::origin_near(const MapPanel& map, Point hit, const Pin& found) {
  const HeatmapLayout layout = map.layout;
  const int first = layout.first_col;
  const int last = first + layout.n_cols - 1;
  const int other = found.col - first > last - found.col ? first : last;
  const float step = layout.cell_width * scale();
  Pin far = found;
  far.col = other;
  if (hover({hit.x + static_cast<float>(other - found.col) * step, hit.y}) != far) return std::nullopt;
  const float left = edge(hit, layout.cell_width * scale(), true, found);
  const float top = edge(hit, layout.cell_height * scale(), false, found);
  const Box box = layout.box_of(found.row, found.col);
  const Point origin{left - box.x * scale(), top - box.y * scale()};
  // A smaller map of the same stage ends before the corner of the last cell.
  constexpr float inside = 2.0F;
  const Point corner{origin.x + box.right() * scale() - inside, origin.y + box.bottom() * scale() - inside};
  if (hover(corner) != found) return std::nullopt;
  for (const int row : {layout.first_row, layout.first_row + layout.n_rows - 1}) {
    for (const int col : {first, last}) {
      if (hover(place_in(map, origin, row, col)) != Pin{found.stage, row, col}) return std::nullopt;
    }
  }
  return origin;
}

std::optional<Point> AppDriver::find_origin(const MapPanel& map) {
  const PixelSize size = window_->framebuffer_size();
  const float high = static_cast<float>(map.layout.n_rows) * map.layout.cell_height;
  const float wide = static_cast<float>(map.layout.n_cols) * map.layout.cell_width;
  const float step = std::max(3.0F, std::min(high, wide) * scale() / 3.0F);
  for (float y = step / 2.0F; y < static_cast<float>(size.height); y += step) {
    for (float x = step / 2.0F; x < static_cast<float>(size.width); x += step) {
      const auto found = hover({x, y});
      if (!found || found->stage != map.key.stage) continue;
      if (const auto origin = origin_near(map, {x, y}, *found)) return origin;
    }
  }
  return std::nullopt;
}

std::optional<Point> AppDriver::cell(const std::string& slot, int row, int col) {
  settle();
  const auto map = app_.screen().memo.maps.find(slot);
  if (map == app_.screen().memo.maps.end()) return std::nullopt;
  const Pin wanted{map->second.key.stage, row, col};
  if (const auto known = origins_.find(slot); known != origins_.end()) {
    const Point at = place_in(map->second, known->second, row, col);
    if (hover(at) == wanted) return at;
  }
  const auto origin = find_origin(map->second);
  if (!origin) return std::nullopt;
  origins_[slot] = *origin;
  const Point at = place_in(map->second, *origin, row, col);
  return hover(at) == wanted ? std::optional(at) : std::nullopt;
}

std::optional<Point> AppDriver::strip_token(int index) {
  settle();
  for (const Box& box : find_text(tokens()[static_cast<std::size_t>(index)])) {
    const Point at{box.x + box.w / 2.0F, box.y + box.h / 2.0F};
    hover(at);
    if (app_.screen().hovered_token == index) return at;
  }
  return std::nullopt;
}

void show_details(AppDriver& driver) {
  PictureOptions picture = driver.session().picture;
  picture.details = true;
  driver.app().apply(test::with(driver.session(), picture));
  driver.settle();
}

}  // namespace headscope
