#pragma once

#include <cstddef>

#include "core/model/attention.h"

namespace headscope {

/// How many numbers the state of a linear attention of this shape has: Hₖ · (K · V + K), whatever the length
/// of the text.
std::size_t state_floats(const AttentionShape& shape);

/// Computes the heads of a linear attention for one query and its own key. It adds φ(k) vᵀ and φ(k) to the
/// state and outputs φ(q) S / (φ(q) · z), or 0 if φ(q) · z is 0 (Katharopoulos et al. 2020, equations 18 to
/// 20). There are no weights, so interventions must not change any.
void state_forward(const AttentionPlan& plan, AttentionBuffers& buffers);

}  // namespace headscope
