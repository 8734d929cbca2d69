#pragma once

#include "core/engine/request.h"
#include "core/result.h"

namespace headscope {

/// The most tokens that a text may have for the command line to compute its pass within a short wait. Up to
/// 8,192 tokens are always computed if they fit into the memory of a pass. Longer texts are computed only if
/// attention compares their tokens within about a second.
int most_tokens_on_command_line(const Request& request);

/// Fails if a text of the request has more tokens than that.
Result<void> check_length(const Request& request);

}  // namespace headscope
