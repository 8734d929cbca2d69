#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The parts around attention: stacks, layers, norm, residual connections, feed-forward layer, final linear
/// layer, positions.
void layer_controls(Frame& frame);

}  // namespace headscope
