#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Chooses stack, attention and layer on one line; nothing where the model has one of each.
void place_picker(Frame& frame);

}  // namespace headscope
