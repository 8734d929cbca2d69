#pragma once

#include <optional>

#include "app/parts/frame.h"

namespace headscope {

/// The sheet that edits the numbers of a parameter or a stage by hand. Every edit is computed with at once.
/// Open while the form names a stage.
void number_editor(Frame& frame);

/// The stage whose numbers would be edited: the pinned one, else the selected one; nothing where they cannot
/// be given.
std::optional<StageId> stage_to_edit(const Session& session);

/// Opens the sheet for a stage, at a cell of it.
void open_number_editor(ScreenState& screen, const StageId& stage, GridCell at = {});

/// "Edit numbers…", which opens it; nothing where the stage's numbers cannot be given.
void edit_numbers_link(Frame& frame, const StageId& stage, GridCell at = {});

}  // namespace headscope
