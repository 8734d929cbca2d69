#pragma once

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// The given numbers that are finite and have their place in the session's model. Those of another size than
/// their place stay: the screen must say what would fit.
GivenNumbers placed_given(const Session& session);

/// An error that names the first of the given numbers without a place, or that do not fit into it.
Result<void> check_given(const Session& session);

/// The paths of all that can be given in the session's model.
std::vector<std::string> paths_to_give(const Session& session);

}  // namespace headscope
