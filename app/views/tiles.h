#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of a head's softmax, computed tile by tile.
void tiles_view(Frame& frame);

}  // namespace headscope
