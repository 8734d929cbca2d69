#pragma once

#include "core/model/pass.h"

namespace headscope {

// Reduces the inputs of a pass over all rows to those of a pass over one row. Rows are those of the last
// stack. In its self-attention, a row has the keys up to its own place; in layers with a sliding window, the
// first `n_let_go` of them are missing.

/// The row of every mask and of the biases by distance.
PassMasks masks_of_row(const PassMasks& masks, const Architecture& architecture, int row, int n_let_go);

/// The interventions and given numbers that concern the row. Those that concern the source's keys and values
/// in cross-attention are kept unchanged.
PassEdits edits_of_row(const PassEdits& edits, const Architecture& architecture, int row, int n_let_go);

}  // namespace headscope
