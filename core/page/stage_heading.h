#pragma once

#include "core/page/page_text.h"

namespace headscope {

/// How a stage is computed, and its sum in letters; of a difference, what is shown.
void formula_line(PageText& page, const PageInputs& in, const StageId& stage, float room = 0.0F);

/// A stage's title and shape and the place of `placed` in words, on a line 28 high whose end (`left_free`
/// wide) is left free for what the window puts there; and the stage's formula below.
void stage_heading(PageText& page, const PageInputs& in, const StageId& stage, const StageId& placed,
                   float left_free = 152.0F);

}  // namespace headscope
