#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// A menu of sentences that the model was trained for, and the way to all that it knows. Nothing where the
/// model learned no task.
void example_menu(Frame& frame);
/// The width of its button, in ImGui pixels; 0 where there is none.
float example_menu_width(const Ui& ui, const Session& session);

}  // namespace headscope
