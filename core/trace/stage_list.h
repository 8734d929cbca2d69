#pragma once

#include "core/trace/trace.h"

namespace headscope {

/// All stages that a pass has, in the order of computation. Kinds with a deeper scope repeat once for each
/// stack, layer, attention and head.
std::vector<StageId> stages_of(const Trace& trace);

}  // namespace headscope
