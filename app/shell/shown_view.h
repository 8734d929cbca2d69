#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The session's view below what the window has to say, or why there is none yet.
void shown_view(Frame& frame);

}  // namespace headscope
