#pragma once

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// The interventions that have their place in the session: their heads, stages and tokens exist.
Interventions placed_interventions(const Session& session);

/// An error that names the first intervention without a place, and what there is instead.
Result<void> check_interventions(const Session& session);

/// Those that take nothing from a held subject.
Interventions without_held(Interventions interventions);

}  // namespace headscope
