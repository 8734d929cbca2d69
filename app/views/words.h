#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of what the model predicts: logits, probabilities, the ranked words after the selected token, and
/// the next word to continue with.
void words_view(Frame& frame);

}  // namespace headscope
