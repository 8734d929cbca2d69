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

/// A strip of tabs that chooses the stage, with details each with its shape; above it the layer and the
/// attention, where the model has several.
void stage_picker(Frame& frame);

/// The same on one line where there is room, with the switch between stages and parameters at its end.
void stage_bar(Frame& frame);

/// The switch between stages and parameters, at the right end of a line 28 high. The cursor stays where it
/// is.
void stages_or_weights(Frame& frame);

}  // namespace headscope
