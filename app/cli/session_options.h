#pragma once

#include <string>
#include <string_view>

#include "app/cli/command_options.h"
#include "app/cli/resource_loader.h"
#include "core/model/architecture.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// The session that the options for the model, input, attention and picture describe: the preset's session or
/// the default one, with the given changes. Throws usage errors that name the option, the given value and the
/// valid values, as do the other functions here that return no Result.
Session session_of(const CommandOptions& options, const ResourceLoader& loader = files());

/// Returns `session` as changed by the options for the model, input and attention. A preset or a model
/// replaces the session's. Masks given for an attention replace its masks.
Session changed_session(const CommandOptions& options, Session session, const ResourceLoader& loader);

/// Warns on standard error about a mask file whose default axes may not be the intended ones.
void warn_about_masks(const CommandOptions& options, const Session& session);

/// Sets those settings whose keys begin with `prefix` and whose options were given.
void read_settings(const CommandOptions& options, std::string_view prefix, Session& session);

/// Returns `base` with the changes that the options for the architecture make.
Architecture architecture_of(const CommandOptions& options, const Architecture& base);

/// The session of a preset, given its name, its document, or an unambiguous beginning of either. The usage
/// error lists the presets.
Result<Session> preset_session(const std::string& name);

}  // namespace headscope
