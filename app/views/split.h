#pragma once

#include "app/parts/frame.h"

namespace headscope {

void split_view(Frame& frame);

}  // namespace headscope
