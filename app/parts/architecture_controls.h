#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The preset and the sizes of attention.
void size_controls(Frame& frame);

/// How random weights are drawn, and which projections and biases there are.
void weight_controls(Frame& frame);

}  // namespace headscope
