#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// What each head does to a prediction, and the interventions in the selected one.
void effects_view(Frame& frame);

}  // namespace headscope
