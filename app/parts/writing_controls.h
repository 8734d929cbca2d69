#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The controls for choosing the next word, and the buttons that continue the text with it. The pass must
/// have predictions (see has_predictions()). Returns whether a word was appended in this frame.
bool writing_controls(Frame& frame);

}  // namespace headscope
