#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// What is known of a block of queries once a tile was taken in, O / l, and the same by softmax over whole
/// rows, in the same colours.
Page tile_outputs(const PageInputs& in, PageTools& tools, const TileOfHead& shown, const TilePlace& at,
                  const TileState& state, float width);

}  // namespace headscope
