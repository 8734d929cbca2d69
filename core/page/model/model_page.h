#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Shows the model's diagram centred in the width, or at its own width if that is greater. The selected stage
/// and its sources are marked, and for a difference each part says how many of its rows changed. Above the
/// diagram are the shape, the place and the formula of the selected stage.
Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
