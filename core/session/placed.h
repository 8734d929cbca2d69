#pragma once

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Returns the given numbers that are finite and belong to a stage of the session's model. Numbers of the
/// wrong size are kept, because the screen must say what would fit.
GivenNumbers valid_given(const Session& session);

/// Returns an error that names the first given numbers without a stage or of the wrong size.
Result<void> check_given(const Session& session);

/// Returns the paths of all stages and parameters of the session's model that can be given.
std::vector<std::string> assignable_paths(const Session& session);

/// Returns the interventions whose heads, stages and tokens exist in the session.
Interventions valid_interventions(const Session& session);

/// Returns an error that names the first intervention whose head, stage or token does not exist, and says
/// what exists instead.
Result<void> check_interventions(const Session& session);

/// Returns the interventions that take nothing from a compared subject.
Interventions without_compared(Interventions interventions);

/// Returns the session's cover without cells that its stage does not have and without answers that are not
/// covered. Empty if nothing is covered.
Cover valid_cover(const Session& session);

/// Drops the answers if the numbers of the edited subject have changed.
void drop_stale_answers(const Session& before, Session& after);

}  // namespace headscope
