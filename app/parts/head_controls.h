#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The controls for what the heads are measured on, their order and filter, and their common map. They take
/// one line, or two if there is little room.
void head_controls(Frame& frame);

}  // namespace headscope
