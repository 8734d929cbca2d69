#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The inspector of the pinned or hovered cell: how its number was computed, what the selected token attends
/// to, and the variance before and after scaling. The caller opens the column.
void inspector_view(Frame& frame);

}  // namespace headscope
