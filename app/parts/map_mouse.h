#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The mouse on a map that was painted at `origin`: says the value under it, pins the cell on a click, hides
/// or shows cells in paint mode, zooms and pans. To be called while the map is hovered. True when it was
/// clicked.
bool answer_on_map(Frame& frame, MapPanel& panel, ImVec2 origin, bool clicked, bool held);

/// Outlines on the map at `origin`: the hovered cell, and what that was computed from. Those of the pinned
/// cell are on the page.
void paint_map_marks(Frame& frame, MapPanel& panel, ImVec2 origin);

}  // namespace headscope
