#pragma once

#include "app/cli/command_options.h"
#include "core/session/session.h"

namespace headscope {

/// The session that the options of model, input, attention and picture describe: the preset's, or the
/// default one, with what was given changed. A usage error names the option, what was given and what would
/// fit.
Result<Session> session_of(const CommandOptions& options);

/// `base` with what the options of architecture say; errors as above.
Result<Architecture> architecture_of(const CommandOptions& options, const Architecture& base);

}  // namespace headscope
