#include "app/platform/imgui_context.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "app/imgui/keys.h"
#include "app/imgui/open_menu.h"
#include "app/platform/widget_characters.h"
#include "core/overloaded.h"

namespace headscope {
namespace {

/// Creates a context whose failed allocations throw an exception, as everywhere else. ImGui does not check
/// the memory it is given.
ImGuiContext* context_with_checked_memory() {
  ImGui::SetAllocatorFunctions([](std::size_t bytes, void*) { return ::operator new(bytes); },
                               [](void* memory, void*) { ::operator delete(memory); });
  return ImGui::CreateContext();
}

}  // namespace

ImGuiContextOwner::ImGuiContextOwner() : context_(context_with_checked_memory()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.UserData = &characters_;
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  set_up_input(io);
}

void update_navigation(ImGuiIO& io) {
  const bool was_off = (io.ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) == 0;
  const bool arrow_held =
      is_key_down(Key::left) || is_key_down(Key::right) || is_key_down(Key::up) || is_key_down(Key::down);
  if (io.KeyAlt || (was_off && arrow_held)) {
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  } else {
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  }
}

ImGuiContextOwner::~ImGuiContextOwner() {
  ImGui::DestroyContext(context_);
}

void InputQueue::hold_keys() {
  if (!std::exchange(fed_keys_, false)) return;
  frames_held_ = frames_to_take_focus;
}

/// Whether an event fits into the frame. A button change excludes later moves and button changes, a key
/// excludes later keys and characters, and a character excludes later keys.
bool InputQueue::fits(const InputEvent& event, ReceivedInput& received) const {
  return std::visit(Overloaded{[&](const MouseMoved&) {
                                 if (received.button || received.wheel) return false;
                                 return received.moved = true;
                               },
                               [&](const MouseButtonChanged& button) {
                                 if (received.button || received.key) return false;
                                 // The last move of a drag counts only in a frame in which the button is
                                 // still down.
                                 if (received.moved && !button.down) return false;
                                 return received.button = true;
                               },
                               [&](const WheelTurned&) {
                                 if (received.wheel || received.button) return false;
                                 return received.wheel = true;
                               },
                               [&](const KeyChanged& key) {
                                 const bool is_held = frames_held_ > 0 && key.down;
                                 if (is_held || received.key || received.button) return false;
                                 if (is_typing(key)) return received.character = true;
                                 if (received.character) return false;
                                 return received.key = true;
                               },
                               [&](const CharacterTyped&) {
                                 if (frames_held_ > 0) return false;
                                 return received.character = true;
                               },
                               [&](const FocusChanged&) { return !received.anything(); }},
                    event);
}

/// Whether a key types into a text field. Such a key need not be seen down, because its character suffices;
/// so many fit into one frame, and fast typing does not wait for the screen.
bool InputQueue::is_typing(const KeyChanged& key) const {
  return is_text({key.key, modifiers_.ctrl, modifiers_.shift, modifiers_.alt}) && text_has_focus() &&
         !modifiers_.super;
}

void InputQueue::feed(const KeyChanged& event, ImGuiIO& io) {
  if (event.key == Key::left_control) modifiers_.ctrl = event.down;
  if (event.key == Key::left_shift) modifiers_.shift = event.down;
  if (event.key == Key::left_alt) modifiers_.alt = event.down;
  if (event.key == Key::left_super) modifiers_.super = event.down;
  if (event.key == Key::enter || event.key == Key::keypad_enter) enter_is_down_ = event.down;
  feed_key(io, native_key(event.key), event.down);
}

/// ImGui measures the time between clicks in frames, each of which takes one press or release: in slow
/// frames, no double click would be fast enough. So tell it.
void InputQueue::feed(const MouseButtonChanged& event, ImGuiIO& io) {
  if (event.button >= 0 && event.button < 5) buttons_[event.button] = event.down;
  if (!event.down) return;
  const bool follows_click = pressed_at_ >= 0.0 && event.at - pressed_at_ < double_click_seconds;
  io.MouseDoubleClickTime = follows_click ? FLT_MAX : 0.0F;
  pressed_at_ = event.at;
}

void InputQueue::release_all() {
  std::fill(std::begin(buttons_), std::end(buttons_), false);
  modifiers_ = {};
  enter_is_down_ = false;
}

void InputQueue::apply(ImGuiIO& io) {
  ReceivedInput received;
  while (!events_.empty() && fits(events_.front(), received)) {
    const auto* button = std::get_if<MouseButtonChanged>(&events_.front());
    // The press acts in the next frame, in which the list is gone.
    if (button != nullptr && button->down && dismiss_popup_outside(mouse_)) break;
    std::visit(Overloaded{[&](const MouseMoved& e) { mouse_ = e; },
                          [&](const MouseButtonChanged& e) { feed(e, io); },
                          [&](const WheelTurned& e) { feed_wheel(io, e.dx, e.dy); },
                          [&](const KeyChanged& e) { feed(e, io); },
                          [&](const CharacterTyped& e) {
                            WidgetCharacters& characters = WidgetCharacters::current();
                            const auto held = characters.held(e);
                            held ? io.AddInputCharacter(static_cast<unsigned>(*held)) : characters.refuse();
                          },
                          [&](const FocusChanged& e) {
                            release_all();
                            io.AddFocusEvent(e);
                          }},
               events_.front());
    events_.pop_front();
  }
  fed_keys_ = fed_keys_ || frames_held_ == 0;
  frames_held_ = std::max(0, frames_held_ - 1);
  feed_mouse(io, mouse_, buttons_);
  feed_modifiers(io, modifiers_);
  press_by_enter(io, enter_is_down_);
  ignore_menu_key();
}

}  // namespace headscope
