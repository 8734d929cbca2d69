#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Draws the user's own lessons as low cards and, below them, the program's lessons as cards with a summary,
/// in the recommended order.
Page lessons_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
