#pragma once

#include "app/cli/command_options.h"
#include "core/engine/module_trace.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Whether options describe an attention of one's own: --query, --key, --value, or --weights.
bool has_own_attention(const CommandOptions& options);

/// An error where options say something about a module that is not given.
Result<void> check_own_attention(const CommandOptions& options);

/// A session that is nothing but this attention (core/engine/own_attention.h). Errors: options of a model
/// beside it, files that cannot be read, shapes that do not go together.
Result<Session> with_own_attention(const CommandOptions& options, Session session);

/// The format that --format names; nothing: recognised by the names in the file.
Result<std::optional<ModuleFormat>> module_format_of(const CommandOptions& options);

/// What --input, --key-input and --value-input name; --input is given.
Result<ModuleInputs> read_module_inputs(const CommandOptions& options);

}  // namespace headscope
