#pragma once

#include <vector>

#include "core/trace/stage.h"

namespace headscope {

class Trace;

/// The sorted stages and parameters on which no number of the pass depends, because only stages that are
/// given by hand would be computed from them. `stages` lists all stages that the pass has.
std::vector<StageId> unused_stages(const Trace& trace, const std::vector<StageId>& stages);

}  // namespace headscope
