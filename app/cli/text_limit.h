#pragma once

#include "core/engine/request.h"
#include "core/result.h"

namespace headscope {

/// How many tokens a text may have for the command line to compute its pass while somebody waits for it. Up
/// to 8,192 tokens are always computed if they fit into the memory of a pass; longer texts only if attention
/// compares them within about a second.
int most_tokens_on_command_line(const Request& request);

/// Refuses a request whose texts have more.
Result<void> check_length(const Request& request);

}  // namespace headscope
