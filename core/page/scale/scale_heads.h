#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// Adds a table of the selected attention's heads, measured over all their queries: the mean norm of the
/// Jacobian with and without the division, and the variance of the raw scores in comparison with that of
/// independent numbers. Long work is passed to `tools.carry_out`.
void add_scaled_heads(const PageInputs& in, PageTools& tools, PageText& page);

/// Adds the same measures for random queries and keys as curves over their width, with this head's width
/// marked.
void add_random_products(const PageInputs& in, PageTools& tools, PageText& page);

}  // namespace headscope
