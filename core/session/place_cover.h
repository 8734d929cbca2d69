#pragma once

#include "core/session/session.h"

namespace headscope {

/// The session's cover without what has no place in its model and sentences: cells that its stage does not
/// have, answers that are not covered; none where it covers nothing.
Cover placed_cover(const Session& session);

/// Answers are of numbers: they go where the subject that is edited has others than before.
void forget_answers(const Session& before, Session& after);

}  // namespace headscope
