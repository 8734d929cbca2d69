#pragma once

#include <iosfwd>

#include "app/cli/command_options.h"
#include "core/result.h"

namespace headscope {

/// Whether the options of train describe a run on a text instead of a task.
bool trains_on_text(const CommandOptions& options);

/// Trains a model on a text and writes its folder. A run that is interrupted leaves its last checkpoint.
Result<void> train_on_text(const CommandOptions& options, std::ostream& out);

}  // namespace headscope
