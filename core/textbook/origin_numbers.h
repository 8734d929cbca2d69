#pragma once

#include <memory>
#include <vector>

#include "core/result.h"
#include "core/textbook/worked_example.h"
#include "core/trace/trace.h"

namespace headscope {

/// Whether the numbers are of a pass.
bool needs_pass(const Origin& origin);

/// The numbers of an origin, each matrix by itself. The pass may be null where none is needed. Errors: what
/// the pass does not have.
Result<std::vector<NumberTable>> numbers_of(const Origin& origin, const Session& session,
                                            const std::shared_ptr<const Trace>& pass);

}  // namespace headscope
