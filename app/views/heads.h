#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of the chosen stage for all heads side by side.
void heads_view(Frame& frame);

}  // namespace headscope
