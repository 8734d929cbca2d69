#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How high example_chips() is in ImGui pixels; 0: the model has no examples, or the window no room for them.
float example_chips_height(const Ui& ui, const Session& session);

/// The examples of the model in view, at ImGui's cursor, as many as stand in one line of this width: a click
/// shows one.
void example_chips(Frame& frame, float width);

}  // namespace headscope
