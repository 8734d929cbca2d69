#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sentence as boxes with lines from the selected (or hovered) token to what it attends to. A click
/// selects, in padding mode pads. Size in ImGui pixels.
void token_strip_part(Frame& frame, ImVec2 size);

}  // namespace headscope
