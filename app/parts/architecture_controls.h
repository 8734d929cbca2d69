#pragma once

#include "app/parts/frame.h"

namespace headscope {

void architecture_controls(Frame& frame);

}  // namespace headscope
