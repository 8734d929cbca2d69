#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The common map of the picked heads, or of those of the selected layer where none is picked, as the session
/// combines them: the mean, the greatest, or the rollout of all layers up to the selected one. With its title
/// and what it is in words.
Page combined_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
