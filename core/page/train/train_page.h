#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/train/gradient_page.h"
#include "core/page/train/targets_page.h"

namespace headscope {

/// What the model is trained for, how far it has come, the curves, the selected head, the targets of this
/// sentence, and the gradient of a weight matrix; beside each other where there is room.
Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
