#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of how the model knows the order of the words: the choice, a picture of the positions at any
/// size, the similarity of two positions, and the effect of the choice on the weights.
void positions_view(Frame& frame);

}  // namespace headscope
