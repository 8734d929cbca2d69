#pragma once

namespace headscope {

/// Decides when the next frame is due, so that an idle window sleeps. After an event, ImGui needs a few
/// frames until hover, focus and layout have settled.
class FramePacer {
 public:
  static constexpr int frames_to_settle = 3;

  /// Reports that something happened: input, a new trace or a step of an animation.
  void event() { frames_left_ = frames_to_settle; }
  /// Reports that something will change by itself in `seconds`, such as a message that disappears. The
  /// earliest time counts.
  void due_in(double seconds);
  /// Reports that a frame was drawn. A frame that ends a sleep is followed by others, as after an event,
  /// because what ImGui first shows in it, such as a tooltip, becomes visible only in the next frame.
  void frame_drawn();
  /// How long Window::wait_events() may sleep. 0 while frames are due.
  double sleep_seconds() const;

 private:
  /// The longest sleep, and therefore the most that a lost wake-up can cost.
  static constexpr double longest_sleep = 10.0;
  int frames_left_ = frames_to_settle;
  double due_in_ = longest_sleep;
};

}  // namespace headscope
