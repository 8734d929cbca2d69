#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/session/setting.h"

namespace headscope {

// Conversions between the three forms of a setting's value: in a session, in JSON, and as text. Used by
// scenes, lessons, options and the palette.

/// The value of a setting in JSON, or null if there is none. Masks from files and trained weights are stored
/// by name only.
nlohmann::json value_of(const Setting& setting, const Session& session);

/// Whether JSON stores only the name of the value: masks from files, and weights.
bool is_stored_by_name(const Setting& setting);

/// Why a value is invalid for a setting.
struct InvalidValue {
  std::string item;      ///< The wrong item of a list or an object, such as "[2]". Empty for the whole value.
  std::string found;     ///< That item, shortened.
  std::string expected;  ///< What it must be, such as “a whole number from 1 to 16”.
};

/// Sets a setting from JSON in the format of value_of(). Lists and matrices may also be null for none; heads,
/// pins and stages may be texts in the format of value_text(). An invalid value changes nothing. Masks from
/// files and weights are not changed, because the JSON does not hold them.
std::optional<InvalidValue> assign_value(const Setting& setting, const nlohmann::json& value,
                                         Session& session);

/// The value of a setting as users type it: "on", "causal", "0.5", "none". Lists are JSON.
std::string value_text(const Setting& setting, const Session& session);

/// Parses a typed value into the JSON that assign_value() takes. The inverse of value_text().
nlohmann::json parse_value(const Setting& setting, std::string_view text);

/// Formats a value for a message: abbreviated, with lists and objects shown as such.
std::string shown(const nlohmann::json& value);

}  // namespace headscope
