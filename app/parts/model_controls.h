#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Whether the list of models stands beside the sentence. In a small window it is at the top of the settings.
bool has_models_in_bar(const Ui& ui);

/// The list from which the model is chosen, in a width in ImGui pixels: a bundled one, a starting point with
/// random weights, or the user's own.
void model_menu(Frame& frame, float width);

/// Stores the initial settings of the current model or starting point in SettingsPanel::defaults.
void remember_defaults(Frame& frame);

/// What the weights have learned, and their progress during training.
void model_controls(Frame& frame);

/// A button that restores the initial settings of the model or starting point in one undo step.
void defaults_button(Frame& frame);

}  // namespace headscope
