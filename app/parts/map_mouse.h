#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Handles the mouse on a map painted at `origin`: shows the value under it, pins the cell on a click, hides
/// or shows cells in paint mode, zooms and pans. Call it while the map is hovered. Returns true if the map
/// was clicked.
bool answer_on_map(Frame& frame, MapPanel& panel, ImVec2 origin, bool clicked, bool held);

/// Outlines the hovered cell and the cells that it was computed from on the map at `origin`. The page itself
/// outlines those of the pinned cell.
void paint_map_marks(Frame& frame, MapPanel& panel, ImVec2 origin);

}  // namespace headscope
