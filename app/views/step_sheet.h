#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sheet in which an author writes the words of a step of a lesson.
void step_sheet(Frame& frame);

}  // namespace headscope
