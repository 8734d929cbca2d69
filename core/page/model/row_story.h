#pragma once

#include "core/page/page_inputs.h"
#include "core/page/parts/page_builder.h"

namespace headscope {

/// Whether the page can explain what a stage computes from the selected token's row: the stage has such a
/// row, no exercise hides numbers, nothing overflows, and no difference is shown.
bool has_row_story(const PageInputs& in, const StageId& stage, PageTools& tools);

/// Explains what a stage computes from the selected token's row: its inputs and its result as cells, or the
/// likeliest words; and how the greatest number of the result was computed.
void add_row_story(PageBuilder& page, const PageInputs& in, const StageId& stage, PageTools& tools);

}  // namespace headscope
