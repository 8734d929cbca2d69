#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// JSON that came from elsewhere. Errors say the line and column of what is no JSON (RFC 8259), or that it is
/// nested deeper than any file of ours, which copying and writing it would not survive.
Result<nlohmann::json> parse_json(std::string_view text);
inline constexpr int max_json_depth = 64;

/// The text of a value; in lines where `indent` is not negative. Bytes that are no UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);

}  // namespace headscope
