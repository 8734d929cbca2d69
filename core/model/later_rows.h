#pragma once

#include "core/model/pass.h"

namespace headscope {

// What a pass of a causal stack has in common with that of another text which begins with the same tokens:
// the first rows of all of its parts.

/// Whether the first `n` rows of a finished pass are those of another of these sizes: both keep everything of
/// one stack, and under both masks the first n queries see the same of the first n keys and no other, by −∞.
bool shares_first_rows(const PassBuffers& before, const PassMasks& masks_before, const PassBuffers& now,
                       const PassMasks& masks_now, int n);

/// Copies the first `n` rows of every part and map of the last stack, and of what is made of it. Cells of
/// hidden keys behind the first n are left to score_later_keys().
void copy_first_rows(const PassBuffers& from, int n, PassBuffers& to);

/// The stack with the first `n` rows taken for cached: its parts begin behind them.
StackBuffers behind_first_rows(const Architecture& architecture, const StackBuffers& stack, int n);

/// The parts of one row. The sizes of its last layer are those of a single query.
StackBuffers only_row(const Architecture& architecture, const StackBuffers& stack, int row);

/// The masks and biases of the queries behind the first `n`.
PassMasks behind_first_rows(const PassMasks& masks, const Architecture& architecture, int n);

/// Fills the maps of the first `n` queries at the keys behind them, which the mask hides from them. Queries
/// and keys of the attention must be there.
void score_later_keys(const AttentionPlan& plan, int n, const AttentionBuffers& attention);

}  // namespace headscope
