#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/session/setting.h"

namespace headscope {

/// Puts the settings whose keys begin with `prefix` into a JSON object, each at the place that its key names.
/// Masks and trained weights are only named: "attention.mask_files", "model".
void write_settings(const Session& session, std::string_view prefix, nlohmann::json& object);

/// Takes them from an object. A missing one keeps its value. The message that names the first that is of the
/// wrong type or beyond its limits, after which nothing is read; empty where there is none.
std::string read_settings(const nlohmann::json& object, std::string_view prefix, Session& session);

/// The first field of an object that read_settings() takes nothing from: no setting has this name, or what it
/// names (masks, weights) is elsewhere. Empty where there is none.
std::string unread_field(const nlohmann::json& object);

/// Writes and reads the settings of a subject alone.
void write_subject(const Session& session, nlohmann::json& object);
std::string read_subject(const nlohmann::json& object, Session& session);

/// A value as a message shows it: shortened, a list or an object by its kind.
std::string shown(const nlohmann::json& value);

}  // namespace headscope
