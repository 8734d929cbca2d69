#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of each head's effect on a prediction, and of the interventions in the selected head.
void effects_view(Frame& frame);

}  // namespace headscope
