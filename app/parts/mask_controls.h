#pragma once

#include "app/parts/frame.h"

namespace headscope {

void mask_controls(Frame& frame);

}  // namespace headscope
