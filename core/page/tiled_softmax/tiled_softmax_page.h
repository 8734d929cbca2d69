#pragma once

#include "core/measures/tiled_head.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// The selected head and its tiles, whose size is that of the settings, clamped to the map.
TiledHead tiled_head_of(const PageInputs& in);

/// The number of tiles of the selected head. 0 if it has no scores.
int n_tiles_of(const PageInputs& in);

/// Shows the selected head's softmax as FlashAttention computes it: its scores with the current tile, the
/// state of each query, the output so far beside the plain one, and what either method reads and writes.
Page tiled_softmax_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The fast memory that a tile takes, compared with the whole map.
Headline tiled_softmax_headline(const PageInputs& in, PageTools& tools);

/// The numbers of the page: the "tiles", what is "kept" for each query of the current one and its "output",
/// and the "traffic" of both methods. Fails if the head's softmax cannot be computed tile by tile.
PageNumbers tiled_softmax_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
