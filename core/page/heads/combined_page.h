#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Shows a common map of the picked heads, or of the selected layer's heads if none are picked, with a title
/// and an explanation. Depending on the session, it is the mean, the maximum, or the rollout through all
/// layers up to the selected one.
Page combined_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
