#pragma once

#include "app/parts/frame.h"
#include "core/figure/position_map.h"

namespace headscope {

/// The positions of the present pass in the size that the screen has chosen.
PositionSource shown_positions(const Frame& frame);

/// One picture of them that says each cell's number under the mouse. Where the cell is one of the pass, the
/// inspector explains it and a click pins it. Size in ImGui pixels.
void position_picture(Frame& frame, PositionPicture picture, const PositionSource& source, ImVec2 size);

}  // namespace headscope
