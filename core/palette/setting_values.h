#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/action.h"
#include "core/session/setting.h"

namespace headscope {

/// A value of a setting, with the action that sets it.
struct SettingValue {
  std::string text;              ///< "causal", "on", "0.5"
  std::optional<Action> action;  ///< Empty if the setting already has this value or cannot have it.
  std::string refusal = {};      ///< Why the setting cannot have the value.
};

/// The name of a setting as a title: "temperature". If several settings share it, such as the masks of the
/// three kinds of attention, all but the first add their option.
std::string title_of(const Setting& setting);

/// The present value of a setting as readable text.
std::string shown_value(const Setting& setting, const Session& session);

/// The values of a switch or a choice, in order. Empty for other settings.
std::vector<SettingValue> values_of(const Setting& setting, const Session& session);

/// Whether the setting takes a number.
bool accepts_number(const Setting& setting);
/// The value for a number. Empty if the setting does not accept it: it is out of range or has a fraction.
std::optional<SettingValue> value_of(const Setting& setting, double number, const Session& session);

}  // namespace headscope
