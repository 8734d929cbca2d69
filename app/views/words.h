#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// What the model predicts: logits, probabilities, the ranked words after the selected token, and the next
/// word to go on with.
void words_view(Frame& frame);

}  // namespace headscope
