#pragma once

#include "app/cli/command_options.h"
#include "app/cli/sources.h"
#include "core/session/session.h"

namespace headscope {

/// Adds the masks that the options give to the attentions of a session whose sizes are known. A usage error
/// names the option, the given value and what would fit.
Result<void> read_masks(const CommandOptions& options, const Sources& sources, Session& session);

}  // namespace headscope
