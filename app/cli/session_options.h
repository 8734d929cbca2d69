#pragma once

#include "app/cli/command_options.h"
#include "core/session/session.h"

namespace headscope {

/// The session that the options of model, input, attention and picture describe: the preset's, or the default
/// one, changed as given. A usage error names the option, the given value and the valid ones.
Result<Session> session_of(const CommandOptions& options);

/// Warns on standard error about a mask file that was read in the default way but may be meant otherwise.
void tell_of_masks(const CommandOptions& options, const Session& session);

/// `base` with what the options of architecture say; errors as above.
Result<Architecture> architecture_of(const CommandOptions& options, const Architecture& base);

}  // namespace headscope
