#pragma once

#include <cfloat>
#include <deque>
#include <variant>

#include "app/imgui/imgui_compat.h"
#include "app/imgui/keys.h"

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
/// The window has lost the keyboard (or has it again): nothing is held any longer.
struct FocusChanged {
  bool focused;
};
using InputEvent =
    std::variant<MouseMoved, MouseButtonChanged, WheelTurned, KeyChanged, CharacterTyped, FocusChanged>;

/// Gives input to ImGui without losing any that came within one frame: a key or button that goes down and up
/// is seen down for a frame, and a chord's modifiers are down in the frame before its key. ImGui's own queue,
/// which versions from 1.87 have, is not used (see set_up_input).
class InputQueue {
 public:
  void push(InputEvent event);
  /// Between the backend's NewFrame and ImGui's. Applies what fits into one frame.
  void apply(ImGuiIO& io);
  bool empty() const { return events_.empty(); }
  /// A text field is about to take the keyboard: keys and characters wait until it has it. One that never
  /// gets it, as it is clipped, and asks in every frame does not hold them forever: between two holds some
  /// are given.
  void hold_keys();

 private:
  /// What the frame has got already.
  struct Seen {
    bool moved = false, button = false, key = false, wheel = false, character = false;
    bool anything() const { return moved || button || key || wheel || character; }
  };
  /// ImGui activates a field a frame after it was told to, and drops what is typed in that frame.
  static constexpr int frames_to_take_the_keyboard = 3;

  bool fits(const InputEvent& event, Seen& seen) const;
  bool is_typing(const KeyChanged& key) const;
  void give(const KeyChanged& event, ImGuiIO& io);
  void release_all();

  std::deque<InputEvent> events_;
  ImVec2 mouse_{-FLT_MAX, -FLT_MAX};
  bool buttons_[5] = {};
  Modifiers held_;
  bool enter_is_down_ = false;
  int frames_held_ = 0;
  bool gave_keys_ = true;  ///< since they were held
};

}  // namespace headscope
