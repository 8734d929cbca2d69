#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sheet that exports what is on the screen: the figure, the window or the numbers. It is open while its
/// form says so.
void export_sheet(Frame& frame);

}  // namespace headscope
