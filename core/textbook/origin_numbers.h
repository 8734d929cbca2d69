#pragma once

#include <memory>
#include <vector>

#include "core/result.h"
#include "core/textbook/worked_example.h"
#include "core/trace/trace.h"

namespace headscope {

/// Whether the numbers are of a pass.
bool needs_pass(const Origin& origin);

/// The numbers of a quantity in one of its cases, each matrix by itself: the rows and columns that it asks
/// for. The pass may be null where none is needed. Errors: what the pass does not have, and more than `most`
/// numbers.
Result<std::vector<NumberTable>> numbers_of(const Quantity& quantity, const Session& session,
                                            const std::shared_ptr<const Trace>& pass, std::size_t most);

}  // namespace headscope
