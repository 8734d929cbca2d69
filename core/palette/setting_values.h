#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/action.h"
#include "core/session/setting.h"

namespace headscope {

/// A value that a setting can be given, and what gives it.
struct SettingValue {
  std::string text;              ///< "causal", "on", "0.5"
  std::optional<Action> action;  ///< nothing: it has this value, or cannot have it
  std::string refusal = {};      ///< why it cannot
};

/// A setting's name at the head of a line: "temperature". Where settings share a name (the masks of the
/// three kinds of attention), the later ones' is followed by their option.
std::string title_of(const Setting& setting);

/// What it is now; empty of what cannot be said in a word.
std::string value_text(const Setting& setting, const Session& session);

/// The values of a switch or a choice, in their order; none of other kinds.
std::vector<SettingValue> values_of(const Setting& setting, const Session& session);

/// Whether a number can be given to it.
bool takes_number(const Setting& setting);
/// Nothing where it is no number for this setting: beyond its limits, or with a fraction where it is whole.
std::optional<SettingValue> value_of(const Setting& setting, double number, const Session& session);

/// The action of its own that makes `after` of `before`; nothing where none does, or both are the same.
std::optional<Action> change_between(const Session& before, const Session& after);

}  // namespace headscope
