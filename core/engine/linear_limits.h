#pragma once

#include "core/engine/request.h"
#include "core/model/pass.h"

namespace headscope {

/// What linear attention leaves of the options: no scale and no temperature, as they would cancel, and no
/// mask value, as what is hidden leaves the sums.
AttentionOptions without_softmax(AttentionOptions options);

/// The error where a pass with linear attention is asked for what needs a softmax: one over queries, a mask
/// file that adds numbers, or raw scores below 0 that are given.
Result<void> check_linear_pass(const Request& request, const PassMasks& masks);

}  // namespace headscope
