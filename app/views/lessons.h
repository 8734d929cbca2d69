#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The lessons of the program, each of which opens with a click, and the way to a lesson of one's own.
void lessons_view(Frame& frame);

}  // namespace headscope
