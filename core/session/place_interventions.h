#pragma once

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Returns the interventions whose heads, stages and tokens exist in the session.
Interventions placed_interventions(const Session& session);

/// Returns an error that names the first intervention without a place and says what exists instead.
Result<void> check_interventions(const Session& session);

/// Returns the interventions that take nothing from a held subject.
Interventions without_held(Interventions interventions);

}  // namespace headscope
