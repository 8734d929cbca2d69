#pragma once

#include "app/cli/command_options.h"

namespace headscope {

/// Reads --cover, --answered and --solution into a session whose place has been selected. In --cover, tokens
/// may stand for indices, as in --row and --column. An error names a cell that the stage does not have, and
/// the cells that it has.
Result<void> read_cover_options(const CommandOptions& options, Session& session);

}  // namespace headscope
