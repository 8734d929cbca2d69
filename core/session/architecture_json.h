#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/model/architecture.h"
#include "core/result.h"

namespace headscope {

/// Converts an architecture to and from a JSON object with the fields of a session's "architecture". Unknown
/// names are ignored and missing ones keep their default. It is an error, which names the field, if a value
/// has the wrong type or exceeds its limits, or if the sizes are inconsistent.
nlohmann::json architecture_to_json(const Architecture& architecture);
Result<Architecture> architecture_from_json(const nlohmann::json& json);

}  // namespace headscope
