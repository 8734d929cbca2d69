#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// What is held and what is edited, beside each other.
void compare_view(Frame& frame);

}  // namespace headscope
