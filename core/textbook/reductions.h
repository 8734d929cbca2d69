#pragma once

#include "core/textbook/worked_example.h"

namespace headscope {

/// What a reduction makes of the numbers. `n_matrices`: as many of equal size stand one below the other.
NumberTable reduced(const NumberTable& numbers, Reduction reduction, int n_matrices);

/// The rows and columns of a matrix that are asked for; an empty list asks for all. Those that it does not
/// have are left out.
NumberTable picked(const NumberTable& numbers, const std::vector<int>& rows, const std::vector<int>& cols);

/// `part` below what is there; false where it has another number of columns.
bool append_below(NumberTable& table, const NumberTable& part);

}  // namespace headscope
