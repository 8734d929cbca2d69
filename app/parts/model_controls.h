#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Chooses the model: a bundled one, a starting point with random weights, or the user's own. Also describes
/// what its weights know, and their progress during training.
void model_controls(Frame& frame);

/// A button that restores the settings that the model or starting point began with, in one step.
void defaults_button(Frame& frame);

}  // namespace headscope
