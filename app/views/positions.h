#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How the model knows the order of the words: the choice, the positions as a picture of any size, how alike
/// two of them are, and what the choice makes of the weights.
void positions_view(Frame& frame);

}  // namespace headscope
