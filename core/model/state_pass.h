#pragma once

#include <cstddef>

#include "core/model/attention.h"

namespace headscope {

/// Numbers in the state of a linear attention of these sizes: Hₖ · (K · V + K), whatever the length of the
/// text.
std::size_t state_floats(const AttentionShape& shape);

/// The heads of a linear attention of one query and its own key, from queries, keys and values to outputs:
/// adds φ(k) vᵀ and φ(k) to the state, and gives φ(q) S / (φ(q) · z). Katharopoulos et al. 2020, equations 18
/// to
/// 20. Where φ(q) · z is 0, the output is. There are no weights, so that nothing may change them.
void state_forward(const AttentionPlan& plan, AttentionBuffers& buffers);

}  // namespace headscope
