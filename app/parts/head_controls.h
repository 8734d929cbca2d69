#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// On one line, or two where there is little room: what the heads are measured on, their order and filter,
/// and their common map.
void head_controls(Frame& frame);

}  // namespace headscope
