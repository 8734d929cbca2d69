#pragma once

#include "app/cli/render_command_text.h"
#include "core/session/session.h"

namespace headscope {

/// The session with the view, the stage and the cell that a figure would show. A trained model opens on the
/// head that shows best what it learned, unless another place is named.
Session window_session(const Session& session, const FigureChoice& figure, bool names_place);

}  // namespace headscope
