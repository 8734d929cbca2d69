#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view that explains why scores are divided by √d_head.
void scale_view(Frame& frame);

}  // namespace headscope
