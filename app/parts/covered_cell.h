#pragma once

#include <string>
#include <string_view>

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

}  // namespace headscope
