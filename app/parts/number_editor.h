#pragma once

#include <optional>

#include "app/parts/frame.h"

namespace headscope {

/// The sheet that edits the numbers of a parameter or stage by hand. Every edit takes effect at once. The
/// sheet is open while the form names a stage.
void number_editor(Frame& frame);

/// The stage whose numbers would be edited: the pinned one, or else the selected one. Empty if its numbers
/// cannot be given.
std::optional<StageId> stage_to_edit(const Session& session);

/// Opens the sheet for a stage at one of its cells.
void open_number_editor(ScreenState& screen, const StageId& stage, CellIndex at = {});

/// The width of the link “Edit numbers…” for the selected stage, with a gap before it, in the units of pages.
/// 0 if there is none.
float width_of_edit_link(const Frame& frame);
/// Draws that link so that it ends where the line ends. The cursor stays where it is.
void edit_link_at_end(Frame& frame);
/// The link “Edit numbers…”, which opens the sheet. Draws nothing if the stage's numbers cannot be given.
void edit_numbers_link(Frame& frame, const StageId& stage, CellIndex at = {});

}  // namespace headscope
