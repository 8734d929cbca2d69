#pragma once

#include "app/cli/command_options.h"
#include "core/session/session.h"

namespace headscope {

/// Whether --model names trained weights.
bool is_trained(const CommandOptions::Text& model);

/// The session with the model that --model names. A usage error where an option of architecture is given as
/// well, or where there is no such model.
Result<Session> with_model(const CommandOptions& options, const Session& session);

}  // namespace headscope
