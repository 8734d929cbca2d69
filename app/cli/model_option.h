#pragma once

#include <vector>

#include "app/cli/command_options.h"
#include "core/session/session.h"

namespace headscope {

/// An option, and whether it was given.
struct GivenOption {
  const char* name;
  bool given;
};

/// The options of a model's shape and seed that weights from a file have no use for; all but --heads, which
/// says how an attention module's weights are cut.
std::vector<GivenOption> architecture_options(const CommandOptions& options);

/// Whether --model names trained weights.
bool is_trained(const CommandOptions::Text& model);

/// The session with the model that --model names. A usage error where an option of architecture is given as
/// well, or where there is no such model.
Result<Session> with_model(const CommandOptions& options, const Session& session);

}  // namespace headscope
