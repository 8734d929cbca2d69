#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The model's diagram, in the middle of the width or as wide as it is, with the selected stage and its
/// sources marked; of a difference, how many rows of each part changed. Above it shape, place and formula of
/// the selected stage.
Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
