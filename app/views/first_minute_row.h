#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How high first_minute_row() is in a room of this size, in ImGui pixels; 0: there is nothing to show, or no
/// room for it.
float first_minute_height(const Frame& frame, ImVec2 room);

/// What a newcomer is invited to do first, as a row of cards at ImGui's cursor: each is ticked when it is
/// done, and can be dismissed.
void first_minute_row(Frame& frame, float width);

}  // namespace headscope
