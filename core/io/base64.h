#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// Base64 (RFC 4648, padded).
std::string to_base64(std::string_view bytes);
/// Empty if the text is not valid base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace headscope
