#pragma once

#include "core/model/pass.h"

namespace headscope {

// If two texts share a prefix, their passes through a causal stack share the first rows of all stages. These
// functions reuse those rows of an earlier pass.

/// Whether the first `n` rows of a finished pass can be reused in another pass. Requires that both passes
/// keep everything and have a single stack, and that under both masks the first n queries see the same of the
/// first n keys and no others (hidden with −∞).
bool has_same_first_rows(const PassBuffers& before, const PassMasks& masks_before, const PassBuffers& now,
                         const PassMasks& masks_now, int n);

/// Copies the first `n` rows of every stage from the last stack on. In maps, fill_later_keys() must fill the
/// columns of the hidden keys after the first n.
void copy_first_rows(const PassBuffers& from, int n, PassBuffers& to);

/// Makes the heads skip the queries before `first` (counted from the start of the text). Their rows stay in
/// memory.
void skip_first_queries(int first, AttentionBuffers& buffers);

/// Fills the maps of the first `n` queries in the columns of later keys, which are hidden from them. The
/// queries and keys must already be computed.
void fill_later_keys(const AttentionPlan& plan, int n, const AttentionBuffers& attention);

}  // namespace headscope
