#pragma once

#include <optional>
#include <span>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// Draws strips of a derivation with the same elements (see strip_groups()) as a table with a column per
/// strip and a row per element: dimension, q, k, q · k. Bars behind the last column show magnitudes relative
/// to its maximum. Of very many elements, only the strongest are listed, and the last line counts the others.
/// NaN marks a number that an exercise asks for.
Figure derivation_table(const PageInputs& in, const PageTools& tools,
                        std::span<const Explanation::Strip> group, float width);

}  // namespace headscope
