#pragma once

#include <string>
#include <string_view>

#include "core/model/architecture.h"

namespace headscope {

/// An architecture as a JSON object with the fields of a session's "architecture", and back. Unknown names
/// are ignored and missing ones keep their default; a value of the wrong type or beyond its limits, and sizes
/// that do not hold together, are errors that name them.
std::string architecture_to_json(const Architecture& architecture);
Result<Architecture> architecture_from_json(std::string_view json);

}  // namespace headscope
