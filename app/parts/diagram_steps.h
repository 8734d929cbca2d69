#pragma once

#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// The stage of the box in the model's diagram that the data reaches next (`by` is 1) or comes from (−1),
/// wrapping around at the ends. Among the boxes of heads, only that of the selected head counts.
StageId box_beside(const Trace& trace, const Selection& selection, int by);

}  // namespace headscope
