#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// What of the loss's gradient reaches each head's scores in the model's task, with and without the division,
/// with its weights and with untrained ones; or why there is none. It is left to `tools.carry_out`.
void add_score_gradients(const PageInputs& in, PageTools& tools, PageText& page);

/// Whether there is a task whose loss could be gone back from.
bool has_task_of_gradients(const PageInputs& in);

}  // namespace headscope
