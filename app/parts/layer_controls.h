#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// What stands around attention: stacks, layers, norm, residual connections, feed-forward layer, final linear
/// layer, positions.
void layer_controls(Frame& frame);

}  // namespace headscope
