#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// Adds how much of the loss's gradient reaches each head's scores in the model's task, with and without the
/// division by √d_head, for the model's weights and for untrained ones. If that cannot be computed, adds the
/// reason. The computation is passed to `tools.carry_out`.
void add_score_gradients(const PageInputs& in, PageTools& tools, PageText& page);

/// Whether the model has a task whose loss can be differentiated.
bool has_task_of_gradients(const PageInputs& in);

}  // namespace headscope
