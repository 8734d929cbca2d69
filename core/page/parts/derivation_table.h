#pragma once

#include <optional>
#include <span>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// Draws strips of a derivation that have the same elements (see strip_groups()) as a table with a column for
/// each strip and a row for each element: dimension, q, k, q · k. A bar behind each number of the last column
/// shows its magnitude relative to the greatest in that column. If there are very many elements, only the
/// strongest are listed, and the last line counts the others. A NaN stands for a number that an exercise asks
/// for.
Figure derivation_table(const PageInputs& in, const PageTools& tools,
                        std::span<const Explanation::Strip> group, float width);

}  // namespace headscope
