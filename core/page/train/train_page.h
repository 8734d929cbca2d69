#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/train/gradient_page.h"
#include "core/page/train/targets_page.h"

namespace headscope {

/// Shows what the model is trained for, and the selected head beside the curves of the loss and the accuracy.
/// Below them are the targets of this sentence and the gradient of a weight matrix.
Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
