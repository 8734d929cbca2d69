#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Format and parse the hidden keys, such as "first,punctuation" or "none". Errors name the wrong word.
std::string format_hidden_keys(const Session& session);
Result<void> parse_hidden_keys(Session& session, std::string_view words);

/// Format and parse the picked tokens, such as "queries:3,5", "keys:1" or "none". repaired() checks that the
/// tokens exist.
std::string format_picked_tokens(const Session& session);
Result<void> parse_picked_tokens(Session& session, std::string_view words);

}  // namespace headscope
