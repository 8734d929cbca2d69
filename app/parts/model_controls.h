#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Which model it is: one that comes with the program, a starting point with random weights, or one's own;
/// what its weights know, and how far they are where they are being trained.
void model_controls(Frame& frame);

}  // namespace headscope
