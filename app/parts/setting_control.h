#pragma once

#include <string_view>

#include "app/parts/frame.h"
#include "core/session/settings.h"

namespace headscope {

/// A setting by its key, which the compiler looks up.
struct SettingKey {
  consteval SettingKey(const char* key) : record(&setting(key)) {}
  const Setting* record;
};

/// The control that a setting's record describes, with its sentence as tooltip; nothing where the record says
/// that it means nothing beside the other settings. A setting of a mask is that of the selected attention.
void setting_control(Frame& frame, const Setting& setting);
inline void setting_control(Frame& frame, SettingKey key) {
  setting_control(frame, *key.record);
}

/// Asks for a change; where it cannot be, the control says why, and nothing changes.
void change_setting(Frame& frame, const Setting& setting, SettingInput value);

/// A control of the panel: that of a setting, or what `draw` draws in its place, found by the setting's words
/// or by `name`.
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

/// Joins words as "causal, window 4"; `none` where there are none.
class WordList {
 public:
  void add(std::string_view word) {
    if (!all_.empty()) all_ += ", ";
    all_ += word;
  }
  std::string text(std::string_view none) const { return all_.empty() ? std::string(none) : all_; }

 private:
  std::string all_;
};

}  // namespace headscope
