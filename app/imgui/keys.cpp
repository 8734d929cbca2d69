#include "app/imgui/keys.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

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
  const auto* named = std::ranges::find(key_names, key, &std::pair<Key, std::string_view>::first);
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

bool is_key_down(Key key) {
  return ImGui::IsKeyDown(native_key(key));
}

bool text_has_focus() {
  return ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive();
}

namespace {

using KeyPairs = std::span<const std::pair<Key, ImGuiKey>>;

/// Keys that ImGui calls alike in all versions, and with which it edits text and navigates.
constexpr std::pair<Key, ImGuiKey> common_keys[] = {{Key::tab, ImGuiKey_Tab},
                                                    {Key::left, ImGuiKey_LeftArrow},
                                                    {Key::right, ImGuiKey_RightArrow},
                                                    {Key::up, ImGuiKey_UpArrow},
                                                    {Key::down, ImGuiKey_DownArrow},
                                                    {Key::page_up, ImGuiKey_PageUp},
                                                    {Key::page_down, ImGuiKey_PageDown},
                                                    {Key::home, ImGuiKey_Home},
                                                    {Key::end, ImGuiKey_End},
                                                    {Key::insert, ImGuiKey_Insert},
                                                    {Key::del, ImGuiKey_Delete},
                                                    {Key::backspace, ImGuiKey_Backspace},
                                                    {Key::space, ImGuiKey_Space},
                                                    {Key::enter, ImGuiKey_Enter},
                                                    {Key::escape, ImGuiKey_Escape}};

}  // namespace

#if IMGUI_VERSION_NUM >= 18700

namespace {

constexpr std::pair<Key, ImGuiKey> named_keys[] = {{Key::apostrophe, ImGuiKey_Apostrophe},
                                                   {Key::comma, ImGuiKey_Comma},
                                                   {Key::minus, ImGuiKey_Minus},
                                                   {Key::period, ImGuiKey_Period},
                                                   {Key::slash, ImGuiKey_Slash},
                                                   {Key::semicolon, ImGuiKey_Semicolon},
                                                   {Key::equal, ImGuiKey_Equal},
                                                   {Key::left_bracket, ImGuiKey_LeftBracket},
                                                   {Key::right_bracket, ImGuiKey_RightBracket},
                                                   {Key::keypad_add, ImGuiKey_KeypadAdd},
                                                   {Key::keypad_subtract, ImGuiKey_KeypadSubtract},
                                                   {Key::keypad_enter, ImGuiKey_KeypadEnter},
                                                   {Key::left_shift, ImGuiKey_LeftShift},
                                                   {Key::left_control, ImGuiKey_LeftCtrl},
                                                   {Key::left_alt, ImGuiKey_LeftAlt},
                                                   {Key::left_super, ImGuiKey_LeftSuper}};

/// The key `offset` places after `first`. ImGui orders letters, digits and F keys as Key does.
ImGuiKey following(ImGuiKey first, int offset) {
  return static_cast<ImGuiKey>(static_cast<int>(first) + offset);
}

}  // namespace

NativeKey native_key(Key key) {
  const int code = static_cast<int>(key);
  if (key >= Key::a && key <= Key::z) return following(ImGuiKey_A, code - static_cast<int>(Key::a));
  if (key >= Key::digit_0 && key <= Key::digit_9) {
    return following(ImGuiKey_0, code - static_cast<int>(Key::digit_0));
  }
  if (key >= Key::f1 && key <= Key::f12) return following(ImGuiKey_F1, code - static_cast<int>(Key::f1));
  for (const KeyPairs keys : {KeyPairs(common_keys), KeyPairs(named_keys)}) {
    const auto found = std::ranges::find(keys, key, &std::pair<Key, ImGuiKey>::first);
    if (found != keys.end()) return found->second;
  }
  return ImGuiKey_None;
}

void map_native_keys(ImGuiIO&) {}

#else

namespace {

constexpr std::pair<Key, ImGuiKey> editing_keys[] = {{Key::keypad_enter, ImGuiKey_KeyPadEnter},
                                                     {Key::a, ImGuiKey_A},
                                                     {Key::c, ImGuiKey_C},
                                                     {Key::v, ImGuiKey_V},
                                                     {Key::x, ImGuiKey_X},
                                                     {Key::y, ImGuiKey_Y},
                                                     {Key::z, ImGuiKey_Z}};

}  // namespace

NativeKey native_key(Key key) {
  return static_cast<int>(key);
}

void map_native_keys(ImGuiIO& io) {
  for (const KeyPairs keys : {KeyPairs(common_keys), KeyPairs(editing_keys)})
    for (const auto& [ours, imgui] : keys) io.KeyMap[imgui] = native_key(ours);
}

#endif

}  // namespace headscope
