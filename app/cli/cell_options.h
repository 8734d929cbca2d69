#pragma once

#include <string>

#include "app/cli/command_options.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// A row or a column of a stage: an index, a token's text, or text:N for the token's occurrence N, counted
/// from 0. Only 0 fits where an axis has a single place, and then it need not be given.
Result<int> row_of(const CommandOptions& options, const Session& session, const StageId& stage);
Result<int> column_of(const CommandOptions& options, const Session& session, const StageId& stage);
/// The same along any axis of a stage, for an option that takes it; nothing given is an error.
Result<int> index_along(const char* option, const CommandOptions::Text& given, const Session& session,
                        const StageId& stage, Axis axis);

/// An error about a word that the model does not choose among.
tl::unexpected<Error> unknown_word(const Session& session, const std::string& given);

}  // namespace headscope
