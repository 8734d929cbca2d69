#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sheet that saves what is seen: the figure, the window, or the numbers. Open while the form says so.
void export_sheet(Frame& frame);

}  // namespace headscope
