#pragma once

#include "core/page/heads/head_tiles.h"
#include "core/page/heads/head_values.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The selected stage of every head side by side, as large as the room allows; where that would be too small,
/// the page grows downwards. Beside a stage that does not repeat per head stand the heads' weights, and the
/// heading says that it has no heads.
Page heads_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
