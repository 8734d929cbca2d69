#pragma once

#include "app/cli/command_options.h"

namespace headscope {

/// Reads --cover, --answered and --solution into a session whose place is selected. In --cover, tokens stand
/// for indices as in --row and --column. An error names a cell that the stage does not have, and what it has.
Result<void> read_cover_options(const CommandOptions& options, Session& session);

}  // namespace headscope
