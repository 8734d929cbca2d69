#include "app/platform/input_queue.h"

#include <algorithm>
#include <iterator>

#include "app/ui/native_key.h"
#include "core/overloaded.h"

namespace headscope {
void InputQueue::push(InputEvent event) {
  events_.push_back(event);
}

/// As ImGui's own queue from 1.87: a button ends the frame for later moves and buttons, a key for later keys
/// and characters, characters for later keys.
bool InputQueue::fits(const InputEvent& event, Seen& seen) {
  return std::visit(Overloaded{[&](const MouseMoved&) {
                                 if (seen.button || seen.wheel) return false;
                                 return seen.moved = true;
                               },
                               [&](const MouseButtonChanged& button) {
                                 if (seen.button || seen.key) return false;
                                 // A drag's last move counts only in a frame in which the button is still
                                 // down.
                                 if (seen.moved && !button.down) return false;
                                 return seen.button = true;
                               },
                               [&](const WheelTurned&) {
                                 if (seen.wheel || seen.button) return false;
                                 return seen.wheel = true;
                               },
                               [&](const KeyChanged&) {
                                 if (seen.key || seen.button || seen.character) return false;
                                 return seen.key = true;
                               },
                               [&](const CharacterTyped&) { return seen.character = true; }},
                    event);
}

/// A key that writes into a text field: nothing needs to see it down, its character says all. So many of them
/// fit into one frame, and fast typing does not wait for the screen.
bool InputQueue::is_typing(const InputEvent& event, const ImGuiIO& io) {
  const auto* key = std::get_if<KeyChanged>(&event);
  constexpr int first_unprintable = 256;
  return key != nullptr && static_cast<int>(key->key) < first_unprintable && io.WantTextInput &&
         !io.KeyCtrl && !io.KeyAlt && !io.KeySuper;
}

#if IMGUI_VERSION_NUM >= 18700

void InputQueue::apply(ImGuiIO& io) {
  for (const InputEvent& event : events_) {
    std::visit(Overloaded{[&](const MouseMoved& e) { io.AddMousePosEvent(e.x, e.y); },
                          [&](const MouseButtonChanged& e) { io.AddMouseButtonEvent(e.button, e.down); },
                          [&](const WheelTurned& e) { io.AddMouseWheelEvent(e.dx, e.dy); },
                          [&](const KeyChanged& e) {
                            if (e.key == Key::left_control) io.AddKeyEvent(ImGuiMod_Ctrl, e.down);
                            if (e.key == Key::left_shift) io.AddKeyEvent(ImGuiMod_Shift, e.down);
                            if (e.key == Key::left_alt) io.AddKeyEvent(ImGuiMod_Alt, e.down);
                            if (!is_typing(InputEvent(e), io)) io.AddKeyEvent(native_key(e.key), e.down);
                          },
                          [&](const CharacterTyped& e) { io.AddInputCharacter(e.code_point); }},
               event);
  }
  events_.clear();
}

void InputQueue::release_all() {
  events_.clear();
}

#else

void InputQueue::apply(ImGuiIO& io) {
  Seen seen;
  const auto fits_now = [&](const InputEvent& event) {
    if (!seen.key && !seen.button && is_typing(event, io)) return seen.character = true;
    return fits(event, seen);
  };
  while (!events_.empty() && fits_now(events_.front())) {
    std::visit(Overloaded{[&](const MouseMoved& e) { mouse_ = ImVec2(e.x, e.y); },
                          [&](const MouseButtonChanged& e) {
                            if (e.button >= 0 && e.button < 5) buttons_[e.button] = e.down;
                          },
                          [&](const WheelTurned& e) {
                            io.MouseWheelH += e.dx;
                            io.MouseWheel += e.dy;
                          },
                          [&](const KeyChanged& e) {
                            io.KeysDown[native_key(e.key)] = e.down;
                            if (e.key == Key::left_control) io.KeyCtrl = e.down;
                            if (e.key == Key::left_shift) io.KeyShift = e.down;
                            if (e.key == Key::left_alt) io.KeyAlt = e.down;
                          },
                          [&](const CharacterTyped& e) { io.AddInputCharacter(e.code_point); }},
               events_.front());
    events_.pop_front();
  }
  io.MousePos = mouse_;
  // Later versions press buttons by Enter too; this one only by Space.
  const bool enter = io.KeysDown[native_key(Key::enter)] || io.KeysDown[native_key(Key::keypad_enter)];
  io.NavInputs[ImGuiNavInput_Activate] = enter && !io.WantTextInput ? 1.0F : 0.0F;
  std::copy(std::begin(buttons_), std::end(buttons_), io.MouseDown);
}

void InputQueue::release_all() {
  events_.clear();
  std::fill(std::begin(buttons_), std::end(buttons_), false);
}

#endif

}  // namespace headscope
