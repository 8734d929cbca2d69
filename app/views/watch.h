#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view that plays how a row of attention is computed.
void watch_view(Frame& frame);

}  // namespace headscope
