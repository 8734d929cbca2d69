#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The softmax of a head, tile by tile.
void tiles_view(Frame& frame);

}  // namespace headscope
