#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Every stage of the chosen head on one page, in the order in which they are computed.
void stages_view(Frame& frame);

}  // namespace headscope
