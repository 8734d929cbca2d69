#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sheet that finds anything by its name and carries it out. Draws nothing while it is closed.
void palette_sheet(Frame& frame);

}  // namespace headscope
