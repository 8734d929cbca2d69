#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The chosen stage of all heads side by side.
void heads_view(Frame& frame);

}  // namespace headscope
