#pragma once

#include <string>

#include "app/parts/frame.h"

namespace headscope {

/// A covered cell of a map that the mouse is on: what is typed is an answer, which Enter checks (and Escape
/// gives up, among the keys of the program). A click shows the number instead. `origin`: of the map, on the
/// screen.
void answer_covered_cell(Frame& frame, MapPanel& panel, const Pin& at, bool clicked, ImVec2 origin);

/// What is said of it at the mouse.
std::string covered_text(const Frame& frame, MapPanel& panel, const Pin& at);

/// A stroke over a map covers cells if it began on one that is not covered, else it uncovers them.
void cover_stroke(Frame& frame, const Pin& at);

/// Covers all numbers of the selected stage, or uncovers what is covered.
Cover toggled_cover(const Session& session);

}  // namespace headscope
