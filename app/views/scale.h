#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Why scores are divided by √d_head.
void scale_view(Frame& frame);

}  // namespace headscope
