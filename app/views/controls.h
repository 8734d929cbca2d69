#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// All settings: architecture, masks, attention and picture, with a section for each. The caller opens the
/// column.
void controls_view(Frame& frame);

}  // namespace headscope
