#pragma once

#include <optional>

#include "app/parts/frame.h"

namespace headscope {

/// Whether the steps of a page play by themselves, how fast, and the time of the next step in ImGui's
/// seconds.
struct StepPlay {
  bool on = false;
  double next_at = 0.0;
  bool is_slow = false;
  bool loops = false;  ///< Whether the first step follows the last one.
};

/// The steps of a page, which can play by themselves.
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

/// A slider in one column of a line, `width` ImGui pixels wide. Returns true if it was moved.
bool slider_in_line(Frame& frame, const char* label, int& value, int least, int most, const char* tooltip,
                    float width);

/// The width of step_player() in ImGui pixels.
float step_player_width(const Ui& ui);

/// Begins to play the steps.
void start_playing(StepPlay& playing, const Steps& steps);

/// Advances to the next step when it is time and stops at the last one. Draws the button that plays or pauses
/// between the buttons for the previous and the next step, and a button for the speed if there are two.
/// Returns the step to go to, or nothing to stay.
std::optional<int> step_player(Frame& frame, StepPlay& playing, const Steps& steps);

/// Opens the page of a watched row at its first step and plays it.
void begin_watching(Frame& frame);

/// Lets a step that follows the one before it happen bit by bit, and any other step at once, before its page
/// is drawn.
void let_step_happen(Frame& frame, int step);

/// The line that plays a watched row, slower or faster, and goes to any of its steps.
void watch_controls(Frame& frame);

}  // namespace headscope
