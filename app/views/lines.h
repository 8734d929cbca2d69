#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view with lines from every token to the tokens that it attends to.
void lines_view(Frame& frame);

}  // namespace headscope
