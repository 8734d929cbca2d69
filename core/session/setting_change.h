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

/// The new value of a setting: nothing for an optional or a list, the state of a switch, a number, or a text,
/// which for a choice is its name in files.
using SettingInput = std::variant<std::monostate, bool, double, std::string>;

/// Returns whether a number is whole and small enough for a double to represent all neighbouring whole
/// numbers.
bool is_whole(double number);

struct SettingChange {
  std::string_view key;  ///< The key of the setting's record.
  SettingInput value;
};

/// Returns the setting of a key, or null if there is none.
const Setting* find_setting(std::string_view key);

/// Returns the session with these values, applied one after the other; after each, the settings that its
/// record says are adjusted. Errors say which value is not valid for its setting, or why the sizes of the
/// model have become inconsistent. Sizes that were inconsistent before may be changed one by one. Marks that
/// belong to tokens stay where they are when the texts change; reduce() moves them.
Result<Session> with_changes(const Session& session, std::span<const SettingChange> changes);

/// Returns the changes that give `before` the settings in which `after` differs. Settings whose values are
/// lists, matrices or weights are left out.
std::vector<SettingChange> changes_between(const Session& before, const Session& after);

/// Returns whether no change of a setting is possible because attention was captured: the sizes are those of
/// its numbers, and options of attention do not change weights that were read.
bool is_fixed_by_capture(const Session& session, const Setting& setting);

/// Returns why no change of a setting is possible with the weights of another program's model, which fit only
/// its own architecture, and what to do. Empty if a change is possible.
std::string fixed_by_weights(const Session& session, const Setting& setting);

/// Returns whether a setting can have a number in a model with consistent sizes.
bool can_be(const Session& session, const Setting& setting, int number);

/// Returns the nearest possible numbers within the limits, below and above a number that is not possible.
std::vector<int> nearest_possible(const Session& session, const Setting& setting, int number, int low,
                                  int high);

/// Adjusts the settings that depend on the stacks after they changed from `before`; a decoder alone is causal
/// by nature.
void settle_stacks(Session& session, Stacks before);

/// Returns the corresponding setting of the selected attention's mask for a setting of one of the three
/// masks. Returns any other setting unchanged.
const Setting& of_selected_mask(const Session& session, const Setting& setting);

}  // namespace headscope
