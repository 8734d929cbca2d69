#pragma once

#include "app/cli/command_options.h"
#include "core/engine/module_trace.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Whether options describe the user's own attention: --query, --key, --value, or --weights.
bool has_own_attention(const CommandOptions& options);

/// Fails if options describe a module although none is given.
Result<void> check_own_attention(const CommandOptions& options);

/// The session that consists of this attention alone (core/engine/module_trace.h). Fails if options also
/// name a model, if files cannot be read, or if shapes do not match.
Result<Session> with_own_attention(const CommandOptions& options, Session session);

/// The format that --format names. Empty if the names in the file decide it.
Result<std::optional<ModuleFormat>> module_format_of(const CommandOptions& options);

/// Reads the files of --input, --key-input and --value-input. --input must be given.
Result<ModuleInputs> read_module_inputs(const CommandOptions& options);

}  // namespace headscope
