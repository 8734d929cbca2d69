#pragma once

#include "core/model/pass.h"

namespace headscope {

// If two texts begin with the same tokens, the first rows of all stages of their passes through a causal
// stack are the same. These functions reuse such rows of an earlier pass.

/// Whether the first `n` rows of a finished pass are also those of another pass of these sizes. True only if
/// both passes keep everything and have a single stack, and if both masks show each of the first n queries
/// the same of the first n keys and hide all other keys with −∞.
bool shares_first_rows(const PassBuffers& before, const PassMasks& masks_before, const PassBuffers& now,
                       const PassMasks& masks_now, int n);

/// Copies the first `n` rows of every stage of the last stack, and of those computed from its output. In the
/// maps, the columns of the keys after the first n, which are hidden, are left to score_later_keys().
void copy_first_rows(const PassBuffers& from, int n, PassBuffers& to);

/// Leaves the queries before `first`, which counts from the first token of the text, out of what the heads
/// compute. Their rows stay in memory.
void later_queries(int first, AttentionBuffers& buffers);

/// Fills the maps of the first `n` queries in the columns of the keys after the first `n`, which the mask
/// hides from these queries. The queries and keys of the attention must already be computed.
void score_later_keys(const AttentionPlan& plan, int n, const AttentionBuffers& attention);

}  // namespace headscope
