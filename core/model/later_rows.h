#pragma once

#include "core/model/pass.h"

namespace headscope {

// If two texts begin with the same tokens, the first rows of all parts of their passes through a causal stack
// are the same. These functions reuse such rows of an earlier pass.

/// Whether the first `n` rows of a finished pass are also those of another pass of these sizes. True only if
/// both passes keep everything and have a single stack, and if both masks show each of the first n queries
/// the same of the first n keys and hide all other keys with −∞.
bool shares_first_rows(const PassBuffers& before, const PassMasks& masks_before, const PassBuffers& now,
                       const PassMasks& masks_now, int n);

/// Copies the first `n` rows of every part and map of the last stack, and of the parts computed from its
/// output. In the maps, the columns of the keys after the first n, which are hidden, are left to
/// score_later_keys().
void copy_first_rows(const PassBuffers& from, int n, PassBuffers& to);

/// Returns the stack with the first `n` rows treated as cached: all parts except for keys and values begin
/// after these rows.
StackBuffers behind_first_rows(const Architecture& architecture, const StackBuffers& stack, int n);

/// Returns the stack reduced to one row. The sizes of its last layer are those of a single query.
StackBuffers only_row(const Architecture& architecture, const StackBuffers& stack, int row);

/// Returns the masks and biases of the queries after the first `n`.
PassMasks behind_first_rows(const PassMasks& masks, const Architecture& architecture, int n);

/// Fills the maps of the first `n` queries in the columns of the keys after the first `n`, which the mask
/// hides from these queries. The queries and keys of the attention must already be computed.
void score_later_keys(const AttentionPlan& plan, int n, const AttentionBuffers& attention);

// Reduces the inputs of a pass over all rows to those of a pass over one row. Rows are those of the last
// stack. In its self-attention, a row has the keys up to its own place; in layers with a sliding window, the
// first `n_let_go` of them are missing.

/// The row of every mask and of the biases by distance. A mask with a single row is that of this row.
PassMasks masks_of_row(const PassMasks& masks, const Architecture& architecture, int row, int n_let_go);

/// The interventions and given numbers that concern the row. Those that concern the source's keys and values
/// in cross-attention are kept unchanged.
PassEdits edits_of_row(const PassEdits& edits, const Architecture& architecture, int row, int n_let_go);

}  // namespace headscope
