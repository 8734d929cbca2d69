#pragma once

#include <deque>
#include <variant>

#include "app/ui/imgui_compat.h"
#include "app/ui/keys.h"

namespace headscope {

struct MouseMoved {
  float x, y;
};
struct MouseButtonChanged {
  int button;
  bool down;
};
struct WheelTurned {
  float dx, dy;
};
struct KeyChanged {
  Key key;
  bool down;
};
struct CharacterTyped {
  unsigned code_point;
};
using InputEvent = std::variant<MouseMoved, MouseButtonChanged, WheelTurned, KeyChanged, CharacterTyped>;

/// Gives input to ImGui without losing any that came within one frame: a key or button that goes down and up
/// is seen down for a frame. From 1.87 ImGui does this itself, and the events go straight to it.
class InputQueue {
 public:
  void push(InputEvent event);
  /// Between the backend's NewFrame and ImGui's. Applies what fits into one frame.
  void apply(ImGuiIO& io);
  bool empty() const { return events_.empty(); }
  /// Releases every key and button, as when the window loses the keyboard.
  void release_all();

 private:
  struct Seen {
    bool moved = false, button = false, key = false, wheel = false, character = false;
  };
  static bool fits(const InputEvent& event, Seen& seen);
  static bool is_typing(const InputEvent& event, const ImGuiIO& io);

  std::deque<InputEvent> events_;
  // ImGui's own backend polls these every frame; what was pushed here holds instead.
  ImVec2 mouse_{-3.4e38F, -3.4e38F};
  bool buttons_[5] = {};
};

}  // namespace headscope
