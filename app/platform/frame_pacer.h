#pragma once

namespace headscope {

/// Decides when the next frame is due, so that an idle window sleeps. ImGui needs a few frames after an event
/// until hover, focus and layout have settled.
class FramePacer {
 public:
  static constexpr int frames_to_settle = 3;

  /// Something happened: input, a new trace, an animation's step.
  void event() { frames_left_ = frames_to_settle; }
  /// Something will change by itself in `seconds` (a message that disappears). The earliest wins.
  void due_in(double seconds);
  /// One frame was drawn. One that ends a sleep is followed by others, as after an event: what ImGui shows
  /// first in it, a tooltip, is seen only in the next.
  void frame_drawn();
  /// How long Window::wait_events() may sleep: 0 while frames are due.
  double sleep_seconds() const;

 private:
  /// The longest sleep: a lost wake-up costs no more than this.
  static constexpr double longest_sleep = 10.0;
  int frames_left_ = frames_to_settle;
  double due_in_ = longest_sleep;
};

}  // namespace headscope
