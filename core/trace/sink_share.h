#pragma once

#include <span>

#include "core/trace/trace.h"

namespace headscope::stages {

/// Whether a head uses the weights of another pass, whose rows leave a different share to the sink.
bool holds_pattern(const Trace& trace, const StageId& id);

/// The difference between 1 and the sum of a row of weights. 0 if the sum exceeds 1.
float left_of_one(std::span<const float> weights);

}  // namespace headscope::stages
