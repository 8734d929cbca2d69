#pragma once

#include "core/engine/request.h"
#include "core/result.h"

namespace headscope {

/// How many tokens a text may have for the command line to compute its pass while somebody waits for it: what
/// fits into the memory of a pass, but beyond 8,192 tokens, which are computed however long they take, no
/// more than attention compares within about a second.
int most_tokens_on_command_line(const Request& request);

/// Refuses a request whose texts have more.
Result<void> check_length(const Request& request);

}  // namespace headscope
