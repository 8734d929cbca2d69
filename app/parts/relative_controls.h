#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How distances share the biases of relative positions, where the model has such.
void relative_controls(Frame& frame);

}  // namespace headscope
