#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Every stage of the selected head, from what enters its layer to what leaves it, in groups. As high as the
/// stages need.
Page stages_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
