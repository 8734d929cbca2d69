#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Loss and accuracy, step by step, side by side; what is missing where nothing is being trained. As high as
/// the room.
Page curves_page(const PageInputs& in, const PageSize& size, PageTools& tools);
/// The selected head as it takes shape.
Page train_attention_page(const PageInputs& in, const PageSize& size, PageTools& tools);
/// What the model is trained for, how far it has come, the curves, the targets of this sentence, and the
/// selected head.
Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
