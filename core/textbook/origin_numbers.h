#pragma once

#include <memory>
#include <vector>

#include "core/result.h"
#include "core/textbook/worked_examples.h"
#include "core/trace/trace.h"

namespace headscope {

/// Whether the numbers come from a pass.
bool needs_pass(const Origin& origin);

/// The selected rows and columns of a quantity in one of its cases, as separate matrices. `pass` may be null
/// if none is needed. Fails if the pass lacks the numbers, or if there are more than `max_numbers`.
Result<std::vector<NumberTable>> numbers_of(const Quantity& quantity, const Session& session,
                                            const std::shared_ptr<const Trace>& pass,
                                            std::size_t max_numbers);

}  // namespace headscope
