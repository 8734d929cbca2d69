#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// For the sentence in view: the target words, one-hot, beside the probabilities that the model gives them,
/// and the cross-entropy of each position. Fills the remaining room.
void targets_part(Frame& frame);

/// The gradient of the last batch's loss by one weight matrix, which is chosen here.
void gradient_part(Frame& frame);

}  // namespace headscope
