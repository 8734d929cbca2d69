#pragma once

#include "core/result.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// What a reduction makes of the numbers. `n_matrices`: as many of equal size stand one below the other.
/// Errors: there are too few numbers for it.
Result<NumberTable> reduced(const NumberTable& numbers, Reduction reduction, int n_matrices);

/// `part` below what is there; false where it has another number of columns.
bool append_below(NumberTable& table, const NumberTable& part);

}  // namespace headscope
