#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How large the tiles are, which was taken in last, and whether they play. Needs a pass.
void tile_controls(Frame& frame);

}  // namespace headscope
