#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Draws the user's own lessons as low cards and, below them, those of the program as cards with a summary,
/// in the order in which they are best read.
Page lessons_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
