#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Draws what one more word costs with and without the causal mask: who sees whom among the first words of
/// the text and the word after them, and which of these rows must be computed again. It is a diagram without
/// numbers, and higher than `size` if that is too low for it.
Page kept_rows_sketch(const PageInputs& in, const PageSize& size, const PageTools& tools);

}  // namespace headscope
