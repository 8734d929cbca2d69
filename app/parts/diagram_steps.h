#pragma once

#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// The stage of the box of the model's diagram that the data reaches next (`by` 1) or comes from (−1), and
/// round again. Of the heads it is the selected one's box.
StageId box_beside(const Trace& trace, const Selection& selection, int by);

}  // namespace headscope
