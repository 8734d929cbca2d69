#include "app/imgui/keys.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/imgui/native_key.h"

namespace headscope {
namespace {

constexpr std::array<std::pair<Key, std::string_view>, 28> key_names{{{Key::space, "Space"},
                                                                      {Key::apostrophe, "'"},
                                                                      {Key::comma, ","},
                                                                      {Key::minus, "−"},
                                                                      {Key::period, "."},
                                                                      {Key::slash, "/"},
                                                                      {Key::semicolon, ";"},
                                                                      {Key::equal, "="},
                                                                      {Key::left_bracket, "["},
                                                                      {Key::right_bracket, "]"},
                                                                      {Key::escape, "Esc"},
                                                                      {Key::enter, "Enter"},
                                                                      {Key::tab, "Tab"},
                                                                      {Key::backspace, "Backspace"},
                                                                      {Key::insert, "Insert"},
                                                                      {Key::del, "Delete"},
                                                                      {Key::right, "→"},
                                                                      {Key::left, "←"},
                                                                      {Key::down, "↓"},
                                                                      {Key::up, "↑"},
                                                                      {Key::page_up, "Page Up"},
                                                                      {Key::page_down, "Page Down"},
                                                                      {Key::home, "Home"},
                                                                      {Key::end, "End"},
                                                                      {Key::keypad_add, "+"},
                                                                      {Key::keypad_subtract, "−"},
                                                                      {Key::keypad_enter, "Enter"},
                                                                      {Key::left_shift, "Shift"}}};

std::string key_name(Key key) {
  const auto code = static_cast<int>(key);
  if (key >= Key::f1 && key <= Key::f12) return "F" + std::to_string(code - static_cast<int>(Key::f1) + 1);
  const auto* named =
      std::find_if(key_names.begin(), key_names.end(), [&](const auto& n) { return n.first == key; });
  if (named != key_names.end()) return std::string(named->second);
  return std::string(1, static_cast<char>(code));
}

/// Whether a key press without Ctrl or Alt may be meant for the widget with the keyboard focus.
bool belongs_to_the_widget(Chord chord) {
  if (chord.ctrl || chord.alt || chord.key == Key::escape) return false;
  if (chord.key >= Key::f1 && chord.key <= Key::f12) return false;
  const ImGuiIO& io = ImGui::GetIO();
  const bool presses = chord.key == Key::enter || chord.key == Key::space;
  if (presses && io.NavVisible && ImGui::IsAnyItemFocused()) return true;
  return ImGui::IsAnyItemActive();
}

}  // namespace

std::string chord_name(Chord chord) {
  std::string name;
  if (chord.ctrl) name += "Ctrl+";
  if (chord.alt) name += "Alt+";
  if (chord.shift) name += "Shift+";
  return name + key_name(chord.key);
}

bool chord_pressed(Chord chord, bool repeat) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl != chord.ctrl || io.KeyShift != chord.shift || io.KeyAlt != chord.alt) return false;
  return !belongs_to_the_widget(chord) && ImGui::IsKeyPressed(native_key(chord.key), repeat);
}

bool key_held(Key key) {
  return ImGui::IsKeyDown(native_key(key));
}

bool text_has_keyboard() {
  return ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive();
}

}  // namespace headscope
