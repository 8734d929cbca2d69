#include "app/imgui/native_key.h"

#include <iterator>

namespace headscope {

#if IMGUI_VERSION_NUM >= 18700

namespace {

struct NamedKey {
  Key ours;
  ImGuiKey imgui;
};

constexpr NamedKey named_keys[] = {{Key::space, ImGuiKey_Space},
                                   {Key::apostrophe, ImGuiKey_Apostrophe},
                                   {Key::comma, ImGuiKey_Comma},
                                   {Key::minus, ImGuiKey_Minus},
                                   {Key::period, ImGuiKey_Period},
                                   {Key::slash, ImGuiKey_Slash},
                                   {Key::semicolon, ImGuiKey_Semicolon},
                                   {Key::equal, ImGuiKey_Equal},
                                   {Key::left_bracket, ImGuiKey_LeftBracket},
                                   {Key::right_bracket, ImGuiKey_RightBracket},
                                   {Key::escape, ImGuiKey_Escape},
                                   {Key::enter, ImGuiKey_Enter},
                                   {Key::tab, ImGuiKey_Tab},
                                   {Key::backspace, ImGuiKey_Backspace},
                                   {Key::insert, ImGuiKey_Insert},
                                   {Key::del, ImGuiKey_Delete},
                                   {Key::right, ImGuiKey_RightArrow},
                                   {Key::left, ImGuiKey_LeftArrow},
                                   {Key::down, ImGuiKey_DownArrow},
                                   {Key::up, ImGuiKey_UpArrow},
                                   {Key::page_up, ImGuiKey_PageUp},
                                   {Key::page_down, ImGuiKey_PageDown},
                                   {Key::home, ImGuiKey_Home},
                                   {Key::end, ImGuiKey_End},
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
  for (const NamedKey& named : named_keys) {
    if (named.ours == key) return named.imgui;
  }
  return ImGuiKey_None;
}

void map_native_keys(ImGuiIO&) {}

#else

namespace {

struct NamedKey {
  Key ours;
  ImGuiKey imgui;
};

constexpr NamedKey editing_keys[] = {{Key::tab, ImGuiKey_Tab},
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
                                     {Key::escape, ImGuiKey_Escape},
                                     {Key::keypad_enter, ImGuiKey_KeyPadEnter},
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
  for (const NamedKey& named : editing_keys) io.KeyMap[named.imgui] = native_key(named.ours);
}

#endif

}  // namespace headscope
