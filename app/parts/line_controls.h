#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The controls for which lines are drawn, and how.
void line_controls(Frame& frame);

}  // namespace headscope
