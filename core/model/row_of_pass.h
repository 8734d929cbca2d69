#pragma once

#include "core/model/pass.h"

namespace headscope {

// What a pass of one row alone takes: the row, as the only one, of what a pass of all rows takes. Rows are
// those of the last stack. In its self-attention a row has the keys up to its own place, without the first
// `n_let_go` in layers that have a sliding window.

/// Its row of every mask and of the biases by distance.
PassMasks masks_of_row(const PassMasks& masks, const Architecture& architecture, int row, int n_let_go);

/// What interventions and given numbers do to it. What they do to the source's keys and values in
/// cross-attention stays as it is.
PassEdits edits_of_row(const PassEdits& edits, const Architecture& architecture, int row, int n_let_go);

}  // namespace headscope
