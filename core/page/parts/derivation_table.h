#pragma once

#include <optional>
#include <span>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// Strips of a derivation that have the same elements (see strip_groups()) as a table with a column for each
/// strip and a row for each element: dimension, q, k, q · k. Behind each number of the last column, a bar
/// shows its share of the column's greatest magnitude. Of very many elements only the strongest are listed,
/// and the last line counts the others. A number that is NaN is one that an exercise asks for.
Figure derivation_table(const PageInputs& in, const PageTools& tools,
                        std::span<const Explanation::Strip> group, float width);

}  // namespace headscope
