#pragma once

#include <vector>

#include "core/trace/stage.h"

namespace headscope {

class Trace;

/// The stages and parameters of a pass, sorted, that only stages would be computed from which are given by
/// hand: no other number of the pass depends on them. Among `stages`, all those that the pass has.
std::vector<StageId> unused_stages(const Trace& trace, const std::vector<StageId>& stages);

}  // namespace headscope
