#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// A sheet that finds anything by its name and does it; nothing while it is closed.
void palette_sheet(Frame& frame);

}  // namespace headscope
