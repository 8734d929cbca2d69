#pragma once

#include <string>

#include "app/imgui/imgui_compat.h"

namespace headscope {

/// Keys, named by their labels. The values are GLFW's key codes, which ImGui before 1.87 uses itself.
enum class Key : int {
  space = 32,
  apostrophe = 39,
  comma = 44,
  minus = 45,
  period = 46,
  slash = 47,
  digit_0 = 48,
  digit_1,
  digit_2,
  digit_3,
  digit_4,
  digit_5,
  digit_6,
  digit_7,
  digit_8,
  digit_9,
  semicolon = 59,
  equal = 61,
  a = 65,
  b,
  c,
  d,
  e,
  f,
  g,
  h,
  i,
  j,
  k,
  l,
  m,
  n,
  o,
  p,
  q,
  r,
  s,
  t,
  u,
  v,
  w,
  x,
  y,
  z,
  left_bracket = 91,
  right_bracket = 93,
  escape = 256,
  enter,
  tab,
  backspace,
  insert,
  del,
  right,
  left,
  down,
  up,
  page_up,
  page_down,
  home,
  end,
  f1 = 290,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12,
  keypad_add = 334,
  keypad_subtract = 333,
  keypad_enter = 335,
  left_shift = 340,
  left_control,
  left_alt,
  left_super
};

/// A key with its modifiers. On macOS, `ctrl` is the Command key, as in ImGui.
struct Chord {
  Key key = Key::space;
  bool ctrl = false, shift = false, alt = false;
  bool operator==(const Chord&) const = default;
};

/// A key with some of the modifiers.
namespace chords {
constexpr Chord plain(Key key) {
  return {key};
}
constexpr Chord ctrl(Key key) {
  return {key, true};
}
constexpr Chord ctrl_shift(Key key) {
  return {key, true, true};
}
constexpr Chord ctrl_alt(Key key) {
  return {key, true, false, true};
}
constexpr Chord alt(Key key) {
  return {key, false, false, true};
}
constexpr Chord shift(Key key) {
  return {key, false, true};
}
constexpr Chord alt_shift(Key key) {
  return {key, false, true, true};
}
}  // namespace chords

/// Whether the chord types a character.
inline bool is_text(const Chord& chord) {
  return chord.key < Key::escape && !chord.ctrl && !chord.alt;
}
/// The name of a chord: "Ctrl+Shift+Z", "F1", "←".
std::string chord_name(Chord chord);

/// Whether the key was pressed in this frame with exactly these modifiers. With `repeat`, key repeat counts
/// too. While a text field or an active slider has the keyboard focus, it takes the keys that it uses without
/// Ctrl or Alt, except Escape and the F keys.
bool chord_pressed(Chord chord, bool repeat = false);
/// Whether the key is held now.
bool is_key_down(Key key);
/// Whether a text field has the keyboard focus now. ImGui's WantTextInput alone describes the last frame: it
/// is still set in the frame after Escape has left a field.
bool text_has_focus();

/// ImGui's value for this key.
NativeKey native_key(Key key);
/// Before 1.87, tells ImGui which keys it edits text and navigates with, as the GLFW backend does. Later
/// versions know.
void map_native_keys(ImGuiIO& io);

}  // namespace headscope
