#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The tiles of the selected head as the settings cut them, no larger than its map.
TiledHead tiled_head_of(const PageInputs& in);

/// How many tiles the selected head has; 0 where it has no scores.
int n_tiles_of(const PageInputs& in);

/// The selected head's softmax as FlashAttention computes it: its scores with the tile that was taken in
/// last, what is kept of each query, the output so far beside the plain one, and what either way reads and
/// writes.
Page tiled_softmax_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
