#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Shows the gradient of the last batch's loss with respect to the weight matrix `in.parameter`. If there is
/// none yet, the page says so.
Page gradient_page(const PageInputs& in, const PageSize& size, PageTools& tools);

std::string said_of_gradient(const PageInputs& in, CellIndex cell);

}  // namespace headscope
