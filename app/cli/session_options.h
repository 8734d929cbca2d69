#pragma once

#include "app/cli/command_options.h"
#include "app/cli/sources.h"
#include "core/session/session.h"

namespace headscope {

/// The session that the options of model, input, attention and picture describe: the preset's, or the default
/// one, changed as given. A usage error names the option, the given value and the valid ones.
Result<Session> session_of(const CommandOptions& options, const Sources& sources = files());

/// `session` changed by the options of model, input and attention. A preset or a model begins anew; the masks
/// of an attention take the place of those that it had.
Result<Session> changed_session(const CommandOptions& options, Session session, const Sources& sources);

/// Warns on standard error about a mask file that was read in the default way but may be meant otherwise.
void tell_of_masks(const CommandOptions& options, const Session& session);

/// `session` with the settings whose keys begin so, as far as their options were given; errors as above.
Result<Session> with_settings(const CommandOptions& options, std::string_view prefix, Session session);

/// `base` with what the options of architecture say; errors as above.
Result<Architecture> architecture_of(const CommandOptions& options, const Architecture& base);

}  // namespace headscope
