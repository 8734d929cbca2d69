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

/// What a setting is given: nothing where it is optional or a list, a switch's state, a number, or a choice
/// by its name in files, or a text.
using SettingInput = std::variant<std::monostate, bool, double, std::string>;

/// Returns whether a number is whole and a double can tell it from the whole numbers beside it.
bool is_whole(double number);

struct SettingChange {
  std::string_view key;  ///< of its record
  SettingInput value;
};

/// Returns the setting of a key, or null if there is none.
const Setting* find_setting(std::string_view key);

/// The session with these values, given one after the other, each followed by what its record settles. Errors
/// say which value is none for its setting, or why the sizes of the model do not hold together any more;
/// sizes that did not before may be changed one by one.
Result<Session> with_changes(const Session& session, std::span<const SettingChange> changes);

/// Whether a setting can have a number in a model whose sizes hold together.
bool can_be(const Session& session, const Setting& setting, int number);

/// The nearest numbers within these limits that it can have, below and above one that it cannot.
std::vector<int> nearest_possible(const Session& session, const Setting& setting, int number, int low,
                                  int high);

/// A decoder alone is causal by nature: what follows from other stacks than these.
void settle_stacks(Session& session, Stacks before);

/// A setting of one of the three masks, of the mask of the selected attention; any other as it is.
const Setting& of_selected_mask(const Session& session, const Setting& setting);

}  // namespace headscope
