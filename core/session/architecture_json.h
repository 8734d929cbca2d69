#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/model/architecture.h"
#include "core/result.h"

namespace headscope {

/// An architecture as a JSON object with the fields of a session's "architecture", and back. Unknown names
/// are ignored and missing ones keep their default; a value of the wrong type or beyond its limits, and
/// inconsistent sizes are errors that name them.
nlohmann::json architecture_to_json(const Architecture& architecture);
Result<Architecture> architecture_from_json(const nlohmann::json& json);

}  // namespace headscope
