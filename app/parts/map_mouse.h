#pragma once

#include <string_view>

#include "app/parts/frame.h"

namespace headscope {

/// Whether a text is the beginning of a number.
bool is_number_prefix(std::string_view typed);

/// Whether the covered cell under the mouse captures the text typed in this frame. It captures all keys, so
/// that none edits the sentence and with it the exercise.
bool captures_typing(const TypedAnswer& draft, std::string_view typed);

/// Checks the number typed into a covered cell that the mouse has left. A wrong one stays in its cell until
/// another is typed there or elsewhere.
void check_abandoned_answer(Frame& frame);

/// A cover of all numbers of the selected stage, or none if one exists.
Cover toggled_cover(const Session& session);

/// Handles the mouse on a map painted at `origin`: shows the value under it, pins the cell on a click, hides
/// or shows cells in paint mode, zooms and pans. Call it while the map is hovered. Returns true if the map
/// was clicked.
bool handle_map_mouse(Frame& frame, MapPanel& panel, ImVec2 origin, bool clicked, bool compared);

/// Outlines the hovered cell and the cells that it was computed from on the map at `origin`. The page itself
/// outlines those of the pinned cell.
void paint_map_marks(Frame& frame, MapPanel& panel, ImVec2 origin);

}  // namespace headscope
