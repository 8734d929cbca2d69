#pragma once

#include <string>

#include "app/cli/command_options.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// The row or column of a stage that --row or --column names: an index, a token's text, or text:N for
/// occurrence N of that token, counted from 0. Along an axis of length 1, the option may be omitted. These
/// functions throw usage errors.
int row_of(const CommandOptions& options, const Session& session, const StageId& stage);
int column_of(const CommandOptions& options, const Session& session, const StageId& stage);
/// Reads an index along any axis of a stage in the same way.
int index_along(const char* option, const CommandOptions::Text& given, const Session& session,
                const StageId& stage, Axis axis);

/// The stage that --stage, --head, --layer, --stack and --attention name. By default, the weights of head 0,
/// or what is selected in the scene that the options change.
StageId stage_id_of(const CommandOptions& options, const Session& session);

/// Whether an option names a page: --page or one of its short forms.
bool names_page(const CommandOptions& options);

/// Applies the options for place, page and marks to the selection. --head all, --stage all and --diagram are
/// pages. --row alone selects a token; with --column, it pins a cell. What no option specifies is that of the
/// default place, or stays as it is if `keeps_selection`.
Session selected_session(const CommandOptions& options, Session session, bool keeps_selection = false);

}  // namespace headscope
