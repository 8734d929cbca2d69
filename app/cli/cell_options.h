#pragma once

#include "app/cli/command_options.h"
#include "core/session/session.h"

namespace headscope {

/// A row or a column of a stage: an index, a token's text, or text:N for the token's occurrence N, counted
/// from 0. Only 0 fits where an axis has a single place, and then it need not be given.
Result<int> row_of(const CommandOptions& options, const Session& session, const StageId& stage);
Result<int> column_of(const CommandOptions& options, const Session& session, const StageId& stage);

}  // namespace headscope
