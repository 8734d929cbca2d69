#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/session/setting.h"

namespace headscope {

// The values of settings, each in three forms: in a session, in JSON, and as text. Scenes and lessons,
// options and the palette read and write them here.

/// The value of a setting in JSON. Masks from files and trained weights are only named. Null if there is
/// none.
nlohmann::json value_of(const Setting& setting, const Session& session);

/// Whether JSON only names what a setting holds: masks from files, and weights.
bool is_only_named(const Setting& setting);

/// Why a value cannot be given to a setting.
struct Refusal {
  std::string item;      ///< The wrong item of a list or an object, such as "[2]". Empty for the whole value.
  std::string found;     ///< That item, shortened.
  std::string expected;  ///< What it must be, such as “a whole number from 1 to 16”.
};

/// Gives a setting a value that is written as in value_of(); lists and matrices may also be null for none,
/// and heads, pins and stages may be written as in value_text(). If it is refused, all values stay.
/// Masks from files and weights stay as they are, since the JSON does not hold them.
std::optional<Refusal> give_value(const Setting& setting, const nlohmann::json& value, Session& session);

/// The value of a setting as people type it: "on", "causal", "0.5", "none". A list is written as JSON.
std::string value_text(const Setting& setting, const Session& session);

/// What give_value() takes for a typed value. It reads back what value_text() writes.
nlohmann::json value_of_text(const Setting& setting, std::string_view text);

/// Formats a value for a message: shortened, and a list or an object by its kind.
std::string shown(const nlohmann::json& value);

}  // namespace headscope
