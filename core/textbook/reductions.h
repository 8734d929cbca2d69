#pragma once

#include "core/result.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// Applies a reduction to numbers. `n_matrices` is the number of equally large matrices that are stacked in
/// them. Fails if there are too few numbers.
Result<NumberTable> reduced(const NumberTable& numbers, Reduction reduction, int n_matrices);

/// Appends the rows of `part`. Returns false if its number of columns differs.
bool append_below(NumberTable& table, const NumberTable& part);

}  // namespace headscope
