#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view with the held and the edited subjects side by side.
void compare_view(Frame& frame);

}  // namespace headscope
