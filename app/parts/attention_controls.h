#pragma once

#include "app/parts/frame.h"

namespace headscope {

void attention_controls(Frame& frame);

}  // namespace headscope
