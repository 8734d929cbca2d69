#pragma once

#include <vector>

#include "app/parts/frame.h"

namespace headscope {

/// The kinds of stages at a place in the model, in order: those that depend on the sentence, or the
/// parameters. For a model of one layer, stages that only repeat another one under a second name (the layer's
/// input) are left out.
std::vector<StageKind> pickable_stages(const Trace& trace, const Selection& place, bool parameters);

/// A strip of tabs that chooses the stage. With details switched on, each tab also gives the shape. `width`
/// is in ImGui pixels.
void stage_tabs(Frame& frame, float width);

/// The same tabs below the choice of layer and attention, if the model has several.
void stage_picker(Frame& frame);

/// Places and stages on one line if there is room, with the switch between stages and parameters at its end.
void stage_bar(Frame& frame);

}  // namespace headscope
