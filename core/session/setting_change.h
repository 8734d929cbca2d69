#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

struct Setting;

/// The new value of a setting: nothing (for an optional or a list), the state of a switch, a number, or a
/// text, which for a choice is its name in files.
using SettingInput = std::variant<std::monostate, bool, double, std::string>;

/// Whether a number is an integer of at most 2^53 in magnitude, which a double represents exactly.
bool is_whole(double number);

struct SettingChange {
  std::string_view key;  ///< The key of the setting's record.
  SettingInput value;
};

/// Returns the setting of a key, or null if there is none.
const Setting* find_setting(std::string_view key);

/// Applies the changes in order, reconciling conflicting settings after each. Errors say which value is
/// invalid for its setting, or why the model's sizes have become inconsistent. Sizes that were inconsistent
/// before may be changed one at a time. Marks on tokens keep their indices when the texts change; reduce()
/// moves them.
Result<Session> with_changes(const Session& session, std::span<const SettingChange> changes);

/// Returns the changes that turn the settings of `before` into those of `after`, except for lists, matrices
/// and weights.
std::vector<SettingChange> changes_between(const Session& before, const Session& after);

/// Whether captured attention rules out any change of a setting: the sizes are those of its numbers, and
/// attention options do not affect weights that were read.
bool is_fixed_by_capture(const Session& session, const Setting& setting);

/// Returns why a setting cannot change with the weights of another program's model, which fit only its
/// architecture, and what to do. Empty if it can.
std::string why_fixed_by_weights(const Session& session, const Setting& setting);

/// Whether a setting can have this value in a model with consistent sizes.
bool is_possible_value(const Session& session, const Setting& setting, int number);

/// Returns the nearest possible values within the limits, below and above an impossible one.
std::vector<int> nearest_possible(const Session& session, const Setting& setting, int number, int low,
                                  int high);

/// Adjusts the settings that depend on the stacks, which were `before`. A decoder alone is always causal.
void reconcile_stacks(Session& session, Stacks before);

/// Maps a setting of one of the three masks to that of the selected attention's mask. Returns any other
/// setting unchanged.
const Setting& of_selected_mask(const Session& session, const Setting& setting);

}  // namespace headscope
