#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sheet that opens a scene, a figure, a model, a mask or an attention module.
void open_sheet(Frame& frame);

}  // namespace headscope
