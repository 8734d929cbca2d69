#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Which lines are drawn, and how.
void line_controls(Frame& frame);

}  // namespace headscope
