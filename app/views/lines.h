#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Lines from every token to those that it attends to.
void lines_view(Frame& frame);

}  // namespace headscope
