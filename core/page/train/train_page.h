#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/train/gradient_page.h"
#include "core/page/train/targets_page.h"

namespace headscope {

/// Shows what the model is trained for, its progress, the curves, the selected head, the targets of this
/// sentence, and the gradient of a weight matrix. The parts stand beside each other if there is room.
Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
