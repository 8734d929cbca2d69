#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The gradient of the last batch's loss by the weight matrix `in.parameter`. Says so where there is none
/// yet.
Page gradient_page(const PageInputs& in, const PageSize& size, PageTools& tools);

std::string said_of_gradient(const PageInputs& in, CellIndex cell);

}  // namespace headscope
