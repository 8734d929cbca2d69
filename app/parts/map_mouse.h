#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/parts/frame.h"

namespace headscope {

/// Handles a covered cell of a map under the mouse. A typed answer is checked on Enter or when the mouse
/// leaves the cell; Escape, which is a command's key, discards it; a click reveals the number. `origin` is
/// the map's corner on the screen.
void handle_covered_cell(Frame& frame, MapPanel& panel, const Pin& at, bool clicked, ImVec2 origin);

/// Whether a text is the beginning of a number.
bool is_number_prefix(std::string_view typed);

/// Whether the covered cell under the mouse captures the text typed in this frame. It captures all keys, so
/// that none edits the sentence and with it the exercise.
bool captures_typing(const TypedAnswer& draft, std::string_view typed);

/// Checks the number typed into a covered cell that the mouse has left. A wrong one stays in its cell until
/// another is typed there or elsewhere.
void check_abandoned_answer(Frame& frame);

/// The text beside the mouse on a covered cell.
std::string covered_text(const Frame& frame, MapPanel& panel, const Pin& at);

/// Covers the cells under a stroke that began on an uncovered cell; otherwise uncovers them.
void cover_stroke(Frame& frame, const Pin& at);

/// A cover of all numbers of the selected stage, or none if one exists.
Cover toggled_cover(const Session& session);

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
