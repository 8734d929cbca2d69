#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The controls for the size of the tiles, for the tile processed last, and for playing them. Needs a pass.
void tile_controls(Frame& frame);

}  // namespace headscope
