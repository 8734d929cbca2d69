#pragma once

#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// Whether the page can tell what a stage makes of the selected token's row: the stage has such a row, no
/// exercise hides numbers, none of the pass overflows, and no difference is shown.
bool has_row_story(const PageInputs& in, const StageId& stage, PageTools& tools);

/// Adds what a stage makes of the selected token's row: the rows that it is computed from and the row that
/// results, as cells, or the likeliest words; and how the greatest number of that row was computed.
void add_row_story(PageText& page, const PageInputs& in, const StageId& stage, PageTools& tools);

}  // namespace headscope
