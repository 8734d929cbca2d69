#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/shell/app.h"
#include "app/shell/commands.h"
#include "tests/gui/headless_window.h"

namespace headscope {

/// The CPU time of this thread.
std::chrono::nanoseconds cpu_time();

/// Read a weight of a pass, and check that its rows of weights are the softmax over the visible keys.
float weight(const Trace& trace, int head, int query, int key);
void expect_rows_sum_to_one(const Trace& trace);

/// Drives the program in a headless window as a user would: with keys, by the words on the screen and by the
/// cells under the mouse, never by fixed positions.
class AppDriver {
 public:
  explicit AppDriver(PixelSize size = {1280, 800}, float content_scale = 1.0F, Settings settings = {},
                     const std::filesystem::path& kept = {});

  HeadlessWindow& window() { return *window_; }
  App& app() { return app_; }
  const Session& session() const { return app_.session(); }
  const Trace& trace() const { return *app_.trace(); }
  std::vector<std::string> tokens() const;

  void frames(int count);
  /// Draws frames until the input is consumed, the pass is computed and nothing is left to write. Times out.
  void settle();
  /// Draws frames until `done` returns true. Times out.
  void wait_until(const char* what, const std::function<bool()>& done);
  /// The maximum CPU time that the window's thread spent on a frame during `act`, which hardly depends on the
  /// machine's load.
  std::chrono::milliseconds slowest_frame(const std::function<void()>& act);
  /// Draws frames as the real loop does until the program would sleep. Returns for how many seconds.
  double frames_until_asleep();

  /// Presses a command's key, and settles.
  void press(CommandOrView id);
  void press(Chord chord);
  void click(Point at);
  /// Unfolds a group of settings by a click on its heading.
  void open_group(const std::string& name);
  void focus_sentence();
  /// Replaces the sentence as a user would, by selecting all of it and pasting.
  void paste_sentence(const std::string& sentence);
  void set_sizes(int d_model, int n_heads);

  /// Moves the mouse to a point. Returns the cell under it, if any.
  std::optional<Pin> hover(Point at);
  /// The centre of a cell of the map in this slot, in window pixels, found by moving the mouse.
  std::optional<Point> cell(const std::string& slot, int row, int col);
  /// A point on this token of the strip: one of the places where its text is drawn.
  std::optional<Point> strip_token(int index);

 private:
  void draw_frame();
  float scale();
  Point place_in(const MapPanel& map, Point origin, int row, int col);
  std::optional<Point> find_origin(const MapPanel& map);
  std::optional<Point> origin_near(const MapPanel& map, Point hit, const Pin& found);
  float edge(Point hit, float reach, bool horizontal, const Pin& found);

  std::unique_ptr<HeadlessWindow> window_;
  App app_;
  std::chrono::nanoseconds slowest_frame_{};
  std::map<std::string, Point> origins_;
};

/// Shows details: ids, shapes and paths.
void show_details(AppDriver& driver);

}  // namespace headscope
