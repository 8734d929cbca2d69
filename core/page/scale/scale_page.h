#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/scale/scale_gradients.h"
#include "core/page/scale/scale_jacobian.h"
#include "core/page/scale/scale_row.h"

namespace headscope {

/// Why scores are divided by √d_head: the selected query's scores, weights and softmax Jacobian with and
/// without it, the same over all queries of each head, over random queries and keys of any width, and what of
/// the loss's gradient gets through softmax in the model's task.
Page scale_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
