#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Shows the output of a block of queries as far as it is known after a tile, O / l, beside the output of
/// softmax over whole rows, with the same colours.
Page tile_outputs(const PageInputs& in, PageTools& tools, const TileOfHead& shown, const TilePlace& at,
                  const TileState& state, float width);

}  // namespace headscope
