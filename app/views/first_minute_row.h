#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The height of first_minute_row() in a room of this size, in ImGui pixels. 0 if there is nothing to show or
/// no room for it.
float first_minute_height(const Frame& frame, ImVec2 room);

/// Invites a newcomer to take the first steps, with a row of cards at ImGui's cursor. Each card is ticked
/// when its step is done, and can be dismissed.
void first_minute_row(Frame& frame, float width);

}  // namespace headscope
