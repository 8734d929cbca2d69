#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/parts/frame.h"
#include "core/measures/measure.h"
#include "core/session/settings.h"

namespace headscope {

/// The control of a setting, with its sentence as tooltip. Draws nothing if the setting has no meaning beside
/// the others. A setting of masks applies to the mask of the selected attention.
void setting_control(Frame& frame, const Setting& setting);
inline void setting_control(Frame& frame, SettingKey key) {
  setting_control(frame, *key.record);
}

/// Requests a change. An invalid value changes nothing, and the control shows why.
void change_setting(Frame& frame, const Setting& setting, SettingInput value);

/// Draws controls side by side, `in_line` of them in each line, all of the same width. The gap and the height
/// are in design units.
void controls_in_lines(Frame& frame, std::span<void (*const)(Frame&)> controls, int in_line, float gap,
                       float height);

/// An item of the panel: the control of a setting, or what `draw` draws instead. The search finds it by the
/// setting's words or by `name`.
struct PanelItem {
  const Setting* setting = nullptr;
  void (*draw)(Frame&) = nullptr;
  std::string_view name = {};
};
consteval PanelItem item(std::string_view key) {
  return {&setting(key)};
}
consteval PanelItem item(std::string_view key, void (*draw)(Frame&), std::string_view name = {}) {
  return {&setting(key), draw, name};
}

/// A link that shows the same by a variant of the session, as A, on the page Compare.
void compare_link(Frame& frame, const char* label, const char* tooltip, Subject (*variant)(const Session&));

/// A text of each measure of heads for a list, after an entry of its own.
std::vector<std::string> measures_after(const char* first, std::string_view MeasureRecord::*text);

/// Appends a word to a list such as "causal, window 4".
inline void add_word(std::string& words, std::string_view word) {
  words.append(words.empty() ? "" : ", ").append(word);
}

}  // namespace headscope
