#pragma once

#include "core/session/session.h"

namespace headscope {

/// Returns the session's cover without anything that does not exist in its model and sentences: cells that
/// its stage does not have, and answers that are not covered. Empty if nothing is covered.
Cover placed_cover(const Session& session);

/// Removes the answers if the numbers of the edited subject have changed, because answers belong to numbers.
void forget_answers(const Session& before, Session& after);

}  // namespace headscope
