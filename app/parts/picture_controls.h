#pragma once

#include "app/parts/frame.h"

namespace headscope {

void picture_controls(Frame& frame);

}  // namespace headscope
