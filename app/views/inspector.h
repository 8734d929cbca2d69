#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The pinned (or hovered) cell: how its number came to be; what the selected token looks at; the variance
/// before and after scaling. In a column that the caller opens.
void inspector_view(Frame& frame);

}  // namespace headscope
