#pragma once

#include "app/cli/command_options.h"
#include "core/session/session.h"

namespace headscope {

/// The session that the options of model, input, attention and picture describe: the preset's, or the
/// default one, with what was given changed. A usage error names the option, what was given and what would
/// fit.
Result<Session> session_of(const CommandOptions& options);

/// Tells standard error of a mask file that was read as usual and may be meant otherwise.
void tell_of_masks(const CommandOptions& options, const Session& session);

/// `base` with what the options of architecture say; errors as above.
Result<Architecture> architecture_of(const CommandOptions& options, const Architecture& base);

}  // namespace headscope
