#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Formats and reads the hidden keys, such as "first,punctuation", or "none" if no key is hidden. Errors name
/// the wrong word.
std::string words_of_hidden_keys(const Session& session);
Result<void> read_hidden_keys(Session& session, std::string_view words);

/// Formats and reads the picked tokens, such as "queries:3,5" or "keys:1", or "none" if nothing is picked.
/// repaired() checks whether the sentence has such tokens.
std::string words_of_picked_tokens(const Session& session);
Result<void> read_picked_tokens(Session& session, std::string_view words);

}  // namespace headscope
