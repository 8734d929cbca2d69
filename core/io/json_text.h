#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// Parses untrusted JSON within a Budget. The error gives the line and column of the first violation of RFC
/// 8259, or says that the nesting exceeds max_nesting_depth.
Result<nlohmann::json> parse_json(std::string_view text);
/// The same for the JSON of Python's json module: Infinity, -Infinity and NaN become strings.
Result<nlohmann::json> parse_python_json(std::string_view text);

/// Serialises a value, on several lines if `indent` ≥ 0. Invalid UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);

}  // namespace headscope
