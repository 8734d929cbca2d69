#include "app/platform/input_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/imgui/keys.h"
#include "app/imgui/open_menu.h"
#include "app/platform/widget_characters.h"
#include "core/overloaded.h"

namespace headscope {

void InputQueue::push(InputEvent event) {
  events_.push_back(event);
}

void InputQueue::hold_keys() {
  if (!std::exchange(gave_keys_, false)) return;
  frames_held_ = frames_to_take_the_keyboard;
}

/// Whether an event fits into the frame. A change of a button excludes later moves and button changes, a key
/// excludes later keys and characters, and a character excludes later keys.
bool InputQueue::fits(const InputEvent& event, Seen& seen) const {
  return std::visit(Overloaded{[&](const MouseMoved&) {
                                 if (seen.button || seen.wheel) return false;
                                 return seen.moved = true;
                               },
                               [&](const MouseButtonChanged& button) {
                                 if (seen.button || seen.key) return false;
                                 // The last move of a drag counts only in a frame in which the button is
                                 // still down.
                                 if (seen.moved && !button.down) return false;
                                 return seen.button = true;
                               },
                               [&](const WheelTurned&) {
                                 if (seen.wheel || seen.button) return false;
                                 return seen.wheel = true;
                               },
                               [&](const KeyChanged& key) {
                                 const bool is_held = frames_held_ > 0 && key.down;
                                 if (is_held || seen.key || seen.button) return false;
                                 if (is_typing(key)) return seen.character = true;
                                 if (seen.character) return false;
                                 return seen.key = true;
                               },
                               [&](const CharacterTyped&) {
                                 if (frames_held_ > 0) return false;
                                 return seen.character = true;
                               },
                               [&](const FocusChanged&) { return !seen.anything(); }},
                    event);
}

/// Whether a key types into a text field. Nothing needs to see such a key down, because its character is
/// enough. Many of them fit into one frame, and fast typing does not wait for the screen.
bool InputQueue::is_typing(const KeyChanged& key) const {
  return is_text({key.key, held_.ctrl, held_.shift, held_.alt}) && text_has_keyboard() && !held_.super;
}

void InputQueue::give(const KeyChanged& event, ImGuiIO& io) {
  if (event.key == Key::left_control) held_.ctrl = event.down;
  if (event.key == Key::left_shift) held_.shift = event.down;
  if (event.key == Key::left_alt) held_.alt = event.down;
  if (event.key == Key::left_super) held_.super = event.down;
  if (event.key == Key::enter || event.key == Key::keypad_enter) enter_is_down_ = event.down;
  give_key(io, native_key(event.key), event.down);
}

/// ImGui counts the time between two clicks in frames, each of which takes one press or release: if frames
/// are slow, no two clicks would be near enough. So it is told whether they are.
void InputQueue::give(const MouseButtonChanged& event, ImGuiIO& io) {
  if (event.button >= 0 && event.button < 5) buttons_[event.button] = event.down;
  if (!event.down) return;
  const bool follows_click = pressed_at_ >= 0.0 && event.at - pressed_at_ < double_click_seconds;
  io.MouseDoubleClickTime = follows_click ? FLT_MAX : 0.0F;
  pressed_at_ = event.at;
}

void InputQueue::release_all() {
  std::fill(std::begin(buttons_), std::end(buttons_), false);
  held_ = {};
  enter_is_down_ = false;
}

void InputQueue::apply(ImGuiIO& io) {
  Seen seen;
  while (!events_.empty() && fits(events_.front(), seen)) {
    const auto* button = std::get_if<MouseButtonChanged>(&events_.front());
    // The press acts in the next frame, in which the list is gone.
    if (button != nullptr && button->down && close_list_beside(mouse_)) break;
    std::visit(Overloaded{[&](const MouseMoved& e) { mouse_ = ImVec2(e.x, e.y); },
                          [&](const MouseButtonChanged& e) { give(e, io); },
                          [&](const WheelTurned& e) { give_wheel(io, e.dx, e.dy); },
                          [&](const KeyChanged& e) { give(e, io); },
                          [&](const CharacterTyped& e) {
                            WidgetCharacters& characters = WidgetCharacters::current();
                            const auto held = characters.held(char32_t{e.code_point});
                            held ? io.AddInputCharacter(static_cast<unsigned>(*held)) : characters.refuse();
                          },
                          [&](const FocusChanged& e) {
                            release_all();
                            io.AddFocusEvent(e.focused);
                          }},
               events_.front());
    events_.pop_front();
  }
  gave_keys_ = gave_keys_ || frames_held_ == 0;
  frames_held_ = std::max(0, frames_held_ - 1);
  give_mouse(io, mouse_, buttons_);
  give_modifiers(io, held_);
  press_by_enter(io, enter_is_down_);
  ignore_menu_key();
}

}  // namespace headscope
