#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// One stage as a picture that answers the mouse: hover says the value, a click pins the cell, in paint mode
/// a stroke hides or shows cells; zoomable maps zoom with the wheel and pan with the right or middle button.
/// `slot` names the place on the screen. Size in ImGui pixels. Shows the difference to the pass before where
/// the frame does. True when it was clicked.
bool stage_map(Frame& frame, const char* slot, const StageId& stage, ImVec2 size, const MapLook& look);

}  // namespace headscope
