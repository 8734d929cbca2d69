#pragma once

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Returns the given numbers that are finite and have a place in the session's model. Numbers whose size
/// differs from that of their place stay, because the screen must say what would fit.
GivenNumbers placed_given(const Session& session);

/// Returns an error that names the first given numbers that have no place or do not fit into it.
Result<void> check_given(const Session& session);

/// Returns the paths of everything that can be given in the session's model.
std::vector<std::string> paths_to_give(const Session& session);

/// Returns the interventions whose heads, stages and tokens exist in the session.
Interventions placed_interventions(const Session& session);

/// Returns an error that names the first intervention without a place and says what exists instead.
Result<void> check_interventions(const Session& session);

/// Returns the interventions that take nothing from a held subject.
Interventions without_held(Interventions interventions);

/// Returns the session's cover without anything that does not exist in its model and sentences: cells that
/// its stage does not have, and answers that are not covered. Empty if nothing is covered.
Cover placed_cover(const Session& session);

/// Removes the answers if the numbers of the edited subject have changed, because answers belong to numbers.
void forget_answers(const Session& before, Session& after);

}  // namespace headscope
