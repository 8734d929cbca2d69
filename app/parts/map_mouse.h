#pragma once

#include <optional>
#include <vector>

#include "app/parts/frame.h"

namespace headscope {

/// A stroke of the mouse over the cells of a map.
struct CellStroke {
  bool marks = true;       ///< whether it marks or unmarks cells
  std::optional<Cell> at;  ///< the cell that it has reached
};

/// Extends a stroke to a cell and returns the cells that it crossed since the last frame. A new stroke marks
/// cells if its first one `is_free`.
std::vector<Cell> crossed_cells(CellStroke& stroke, const Cell& cell, bool is_free);

/// Handles the mouse on a map painted at `origin`: shows the value under it, pins the cell on a click, hides
/// or shows cells in paint mode, zooms and pans. Call it while the map is hovered. Returns true if the map
/// was clicked.
bool handle_map_mouse(Frame& frame, MapPanel& panel, ImVec2 origin, bool clicked, bool compared);

/// Outlines the hovered cell and the cells that it was computed from on the map at `origin`. The page itself
/// outlines those of the pinned cell.
void paint_map_marks(Frame& frame, MapPanel& panel, ImVec2 origin);

}  // namespace headscope
