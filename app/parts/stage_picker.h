#pragma once

#include <vector>

#include "app/parts/frame.h"
#include "core/session/action.h"

namespace headscope {

/// Chooses stack, attention and layer on one line. A choice is shown only if the model has more than one. The
/// layers stand side by side if they are few, or always `as_list`, which is narrower.
void place_picker(Frame& frame, bool as_list = false);
/// The same with a choice of the head. Returns false if there was nothing to choose.
bool head_picker(Frame& frame);
/// The width of the first picker including the gap after it, in ImGui pixels. 0 if there is nothing to
/// choose.
float place_picker_width(const Frame& frame, bool as_list = false);

/// The index of the selected attention in the order of the buttons: encoder, decoder, cross.
int attention_index(const Selection& selection);
/// The selected layer of the attention with this index.
SessionEdit place_of_attention(int index, const Selection& selection);

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
