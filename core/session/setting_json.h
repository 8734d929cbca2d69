#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/model/architecture.h"
#include "core/result.h"
#include "core/session/setting.h"

namespace headscope {

/// Writes the settings whose keys begin with `prefix`, without those that `belongs` rejects, into a JSON
/// object, each at the path of its key. Masks and trained weights are stored by name only:
/// "attention.mask_files", "model".
void write_settings(const Session& session, std::string_view prefix, nlohmann::json& object,
                    bool (*belongs)(const Setting&) = nullptr);

/// Reads such settings from an object. Missing ones keep their value. Throws an Error that names the first
/// value of the wrong type or out of range.
void read_settings(const nlohmann::json& object, std::string_view prefix, Session& session,
                   bool (*belongs)(const Setting&) = nullptr);

/// Throws an Error that names the first field of a session that read_settings() ignores: no setting has this
/// name, or its contents (masks, weights) are stored elsewhere.
void reject_unread_settings(const nlohmann::json& object, const std::string& prefix = "");

/// Convert an architecture to and from a JSON object with the fields of a session's "architecture". Unknown
/// names are ignored; missing ones keep their default. Errors name the field: a value has the wrong type or
/// is out of range, or the sizes are inconsistent.
nlohmann::json architecture_to_json(const Architecture& architecture);
Result<Architecture> architecture_from_json(const nlohmann::json& json);

}  // namespace headscope
