#pragma once

#include "core/engine/request.h"
#include "core/model/pass.h"

namespace headscope {

/// The options without those that have no effect on linear attention: scale and temperature, which would
/// cancel, and the mask value, because hidden cells are left out of the sums.
AttentionOptions without_softmax(AttentionOptions options);

/// Returns an error if a pass with linear attention is asked for something that needs a softmax: one over
/// queries, a mask file that adds numbers, or given raw scores below 0.
Result<void> check_linear_pass(const Request& request, const PassMasks& masks);

}  // namespace headscope
