#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Everything that can be set: architecture, masks, attention, picture. One section each, in a column that
/// the caller opens.
void controls_view(Frame& frame);

}  // namespace headscope
