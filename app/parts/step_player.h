#pragma once

#include <functional>
#include <optional>

#include "app/parts/frame.h"

namespace headscope {

struct SettingKey;

/// The playback of a page's steps. Times are in ImGui's seconds.
struct StepPlay {
  bool on = false;
  double next_at = 0.0;
  bool is_slow = false;
  bool loops = false;  ///< Whether the first step follows the last one.
};

/// The steps of a page, which can be played.
struct Steps {
  int step = 1;  ///< the current step, counted from 1
  int n = 1;
  const char* tooltip = "";  ///< of the button that plays them
  double seconds = 0.6;      ///< how long each step stays
  double slow_seconds = 0;   ///< the same when played slowly; 0 if there is only one speed
  bool plays_all = false;    ///< whether playing always begins at the first step
};

/// The height of a line with sliders.
inline constexpr float slider_line_height = 44.0F;

/// A slider from 1 to `most` for a setting, in one column of a line, `width` ImGui pixels wide.
void slider_in_line(Frame& frame, SettingKey key, const char* label, int value, int most, float width,
                    const std::function<int(int)>& nearest_allowed = {});

/// The width of step_player() in ImGui pixels.
float step_player_width(const Ui& ui);

/// Draws the buttons for the previous step, play or pause, the next step and, if there are two speeds, the
/// speed. While playing, advances when a step is due and stops at the last. Returns the step to go to; empty:
/// stay.
std::optional<int> step_player(Frame& frame, StepPlay& playing, const Steps& steps);

/// Opens the page of a watched row and plays it from the first step.
void start_watching(Frame& frame);

/// Animates a step that follows the one before it, and shows any other step at once. Call it before the page
/// is drawn.
void advance_step_animation(Frame& frame, int step);

/// The playback controls of a watched row.
void watch_controls(Frame& frame);

/// Whether the session has a series of pushed captures, whose time line stands below the sentence.
inline bool has_time_line(const Frame& frame) {
  return frame.film.size() > 1 && frame.film.back()->is_capture();
}

/// The height of time_line() in design units.
inline constexpr float time_line_height = 44.0F;

/// The time line: it scrubs through pushed captures, plays them, and returns to the newest.
void time_line(Frame& frame);

/// Shows a snapshot of the film. The last one resumes following the newest.
void show_snapshot(Frame& frame, std::size_t at);

/// A slider that scrubs through the film, and a button that plays it. Both keep their space while there is no
/// film.
void snapshot_slider(Frame& frame);
void film_button(Frame& frame, float width);

}  // namespace headscope
