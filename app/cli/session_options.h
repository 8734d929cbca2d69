#pragma once

#include "app/cli/command_options.h"
#include "app/cli/sources.h"
#include "core/session/session.h"

namespace headscope {

/// The session that the options for the model, input, attention and picture describe: the preset's session or
/// the default one, with the given changes. A usage error names the option, the given value and the valid
/// values.
Result<Session> session_of(const CommandOptions& options, const Sources& sources = files());

/// Returns `session` as changed by the options for the model, input and attention. A preset or a model starts
/// afresh. Masks that are given for an attention replace its masks.
Result<Session> changed_session(const CommandOptions& options, Session session, const Sources& sources);

/// Warns on standard error about a mask file that was read with default axes but may be meant otherwise.
void tell_of_masks(const CommandOptions& options, const Session& session);

/// Returns `session` with those settings whose keys begin with `prefix` and whose options were given. Fails
/// as session_of() does.
Result<Session> with_settings(const CommandOptions& options, std::string_view prefix, Session session);

/// Returns `base` with the changes that the options for the architecture make. Fails as session_of() does.
Result<Architecture> architecture_of(const CommandOptions& options, const Architecture& base);

}  // namespace headscope
