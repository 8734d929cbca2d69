#pragma once

#include "app/cli/command_options.h"
#include "core/session/session.h"

namespace headscope {

/// The one stage that --stage, --head, --layer, --stack and --attention name; the weights of head 0 where
/// they say nothing, or what is selected in the scene that is changed.
Result<StageId> stage_id_of(const CommandOptions& options, const Session& session);

/// Whether an option names a page, --page or one of its short forms.
bool names_page(const CommandOptions& options);

/// What is selected where no option says it: the usual place, or the session's own.
enum class Unnamed { usual, stays };

/// The session with what the options of a place, a page and marks select. --head all, --stage all and
/// --diagram are pages; --row alone selects a token, with --column it pins a cell.
Result<Session> selected_session(const CommandOptions& options, Session session,
                                 Unnamed unnamed = Unnamed::usual);

}  // namespace headscope
