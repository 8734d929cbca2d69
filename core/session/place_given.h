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

}  // namespace headscope
