#pragma once

#include <cfloat>
#include <deque>
#include <variant>

#include "app/imgui/imgui_compat.h"
#include "app/imgui/keys.h"
#include "app/platform/widget_characters.h"

namespace headscope {

/// An ImGui context with the settings of this program: keyboard navigation, a caret that does not blink (so
/// that an idle window draws nothing), and no files.
class ImGuiContextOwner {
 public:
  ImGuiContextOwner();
  ~ImGuiContextOwner();
  ImGuiContextOwner(const ImGuiContextOwner&) = delete;
  ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;

 private:
  WidgetCharacters characters_;  ///< the characters that WidgetCharacters::current() returns
  ImGuiContext* context_;
};

/// Call this before each frame. It lets the arrow keys move ImGui's focus only while Alt is up, because Alt
/// and an arrow are a command of the program until the arrow is released.
void update_navigation(ImGuiIO& io);

using MouseMoved = ImVec2;
struct MouseButtonChanged {
  int button;
  bool down;
  double at;  ///< When it was noticed, in seconds.
};
struct WheelTurned {
  float dx, dy;
};
struct KeyChanged {
  Key key;
  bool down;
};
using CharacterTyped = char32_t;
/// The window has lost or regained the keyboard focus. No key counts as held any longer.
using FocusChanged = bool;
using InputEvent =
    std::variant<MouseMoved, MouseButtonChanged, WheelTurned, KeyChanged, CharacterTyped, FocusChanged>;

/// Passes input to ImGui without losing what arrives within one frame: a key or button that goes down and up
/// is down for one frame, and the modifiers of a chord are down in the frame before its key. ImGui's own
/// queue, which exists since 1.87, is not used (see set_up_input).
class InputQueue {
 public:
  void push(InputEvent event) { events_.push_back(event); }
  /// Applies the input that fits into one frame. Call it between NewFrame of the backend and NewFrame of
  /// ImGui.
  void apply(ImGuiIO& io);
  bool empty() const { return events_.empty(); }
  /// Defers key presses and characters because a text field is about to take the keyboard focus. A clipped
  /// field may request the focus in every frame without ever getting it, so a few frames of input pass
  /// between two deferrals.
  void hold_keys();

 private:
  /// The kinds of input that the frame has received.
  struct ReceivedInput {
    bool moved = false, button = false, key = false, wheel = false, character = false;
    bool anything() const { return moved || button || key || wheel || character; }
  };
  /// ImGui activates a field one frame after the request, and drops what is typed in that frame.
  static constexpr int frames_to_take_focus = 3;

  bool fits(const InputEvent& event, ReceivedInput& received) const;
  bool is_typing(const KeyChanged& key) const;
  void feed(const KeyChanged& event, ImGuiIO& io);
  void feed(const MouseButtonChanged& event, ImGuiIO& io);
  void release_all();

  std::deque<InputEvent> events_;
  ImVec2 mouse_{-FLT_MAX, -FLT_MAX};
  bool buttons_[5] = {};
  double pressed_at_ = -1.0;  ///< when a button was pressed last
  Modifiers modifiers_;
  bool enter_is_down_ = false;
  int frames_held_ = 0;
  bool fed_keys_ = true;  ///< whether keys were passed on since the last hold
};

}  // namespace headscope
