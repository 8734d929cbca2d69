#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Draws what one more word costs with and without the causal mask: who sees whom in the present text and the
/// word after it, and which of these rows must be computed again. It is a diagram without numbers. It shows
/// at most as many words as fit into `size`.
Page kept_rows_sketch(const PageInputs& in, const PageSize& size, const PageTools& tools);

}  // namespace headscope
