#pragma once

namespace headscope {

/// Decides when the next frame is due, so that an idle window sleeps. After an event, ImGui needs a few
/// frames until hover, focus and layout have settled.
class FramePacer {
 public:
  static constexpr int frames_to_settle = 3;

  /// Requests the next frames after input, a new trace or a step of an animation.
  void event() { frames_left_ = frames_to_settle; }
  /// Requests a frame in `seconds`, such as for a message that disappears. The earliest time counts.
  void due_in(double seconds);
  /// Call this after each frame. A frame that ends a sleep is followed by others, because what ImGui first
  /// shows in it, such as a tooltip, becomes visible only in the next.
  void frame_drawn();
  /// How long Window::wait_events() may sleep. 0 while frames are due.
  double sleep_seconds() const;

 private:
  /// The longest sleep, which bounds the delay of a lost wake-up.
  static constexpr double longest_sleep = 10.0;
  int frames_left_ = frames_to_settle;
  double due_in_ = longest_sleep;
};

}  // namespace headscope
