#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// Parses untrusted JSON within a Budget. The error gives the line and column where the text stops being JSON
/// (RFC 8259), or says that the text is nested deeper than deepest_nesting.
Result<nlohmann::json> parse_json(std::string_view text);
/// The same for JSON as Python's module json writes it: Infinity, -Infinity and NaN are read as texts.
Result<nlohmann::json> parse_python_json(std::string_view text);

/// The text of a value, on several lines if `indent` is not negative. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);

}  // namespace headscope
