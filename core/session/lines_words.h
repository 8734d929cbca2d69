#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// "first,punctuation"; "none" where no key is hidden. Reading gives an error that names the word.
std::string words_of_hidden_keys(const Session& session);
Result<void> read_hidden_keys(Session& session, std::string_view words);

/// "queries:3,5", "keys:1"; "none" where nothing is picked. Whether the sentence has such tokens is for
/// repaired() to see.
std::string words_of_picked_tokens(const Session& session);
Result<void> read_picked_tokens(Session& session, std::string_view words);

}  // namespace headscope
