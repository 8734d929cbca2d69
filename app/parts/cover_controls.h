#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// What is hidden for an exercise, and how far it was filled in.
void cover_controls(Frame& frame);

}  // namespace headscope
