#pragma once

#include <vector>

#include "app/parts/frame.h"

namespace headscope {

/// The kinds of stages at a place of the model, in order: those that depend on the sentence, or the
/// parameters. In a single layer, those that only repeat another under a second name (its input) are left
/// out.
std::vector<StageKind> pickable_stages(const Trace& trace, const Selection& place, bool parameters);

/// The way through the whole pass, layer by layer, for one head.
std::vector<StageId> steps_of_pass(const Trace& trace, bool parameters, int head);

/// A strip of tabs that chooses the stage, with details each with its shape. `width` in ImGui pixels.
void stage_tabs(Frame& frame, float width);

/// The same below the choice of the layer and the attention, where the model has several.
void stage_picker(Frame& frame);

/// Both on one line where there is room, with the switch between stages and parameters at its end.
void stage_bar(Frame& frame);

}  // namespace headscope
