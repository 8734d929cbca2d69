#pragma once

#include <span>

#include "core/trace/trace.h"

namespace headscope::stages {

/// Whether a head's weights are those of another pass, whose rows leave the sink another share.
bool holds_pattern(const Trace& trace, const StageId& id);

/// What a row of weights leaves of 1.
float left_of_one(std::span<const float> weights);

}  // namespace headscope::stages
