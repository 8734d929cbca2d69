#pragma once

#include <string>
#include <string_view>

#include "app/parts/frame.h"

namespace headscope {

/// Handles a covered cell of a map under the mouse. The user types an answer, which is checked when Enter is
/// pressed or the mouse leaves the cell. Escape, one of the program's keys, discards it. A click shows the
/// number instead. `origin` is the map's corner on the screen.
void answer_covered_cell(Frame& frame, MapPanel& panel, const Pin& at, bool clicked, ImVec2 origin);

/// Whether a typed text begins a number.
bool begins_number(std::string_view typed);

/// Whether the text typed in this frame belongs to the covered cell under the mouse. It takes all keys, so
/// that none of them changes the sentence, and with it the exercise.
bool takes_text(const AnswerDraft& draft, std::string_view typed);

/// Checks the number that was typed into a covered cell which the mouse has left. A wrong one stays in its
/// cell until another is typed there or elsewhere.
void take_left_answer(Frame& frame);

/// The text beside the mouse on a covered cell.
std::string covered_text(const Frame& frame, MapPanel& panel, const Pin& at);

/// Covers the cells under a stroke of the mouse if the stroke began on an uncovered cell; otherwise uncovers
/// them.
void cover_stroke(Frame& frame, const Pin& at);

/// A cover of all numbers of the selected stage, or no cover if there is one.
Cover toggled_cover(const Session& session);

}  // namespace headscope
