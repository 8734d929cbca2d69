#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// What the model's diagram is of: a title, and of the selected stage its shape, place and formula.
Page model_heading(const PageInputs& in, const PageSize& size, PageTools& tools);
/// The diagram, with the selected stage and its sources marked; of a difference, how many rows of each part
/// changed. In the middle of the width, or as wide as it is.
Page diagram_page(const PageInputs& in, const PageSize& size, PageTools& tools);
/// The one above the other.
Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
