#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view with every stage of the chosen head on one page, in the order of computation.
void stages_view(Frame& frame);

}  // namespace headscope
