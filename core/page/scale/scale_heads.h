#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// The heads of the selected attention over all their queries: the mean norm of the Jacobian with and without
/// the division, and the raw scores' variance beside what independent numbers would give. What takes long is
/// left to `tools.carry_out`.
void add_scaled_heads(const PageInputs& in, PageTools& tools, PageText& page);

/// The same of random queries and keys, as curves over their width, this head's marked.
void add_random_products(const PageInputs& in, PageTools& tools, PageText& page);

}  // namespace headscope
