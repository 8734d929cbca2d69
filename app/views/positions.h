#pragma once

#include "app/parts/frame.h"

namespace headscope {

void positions_view(Frame& frame);

}  // namespace headscope
