#pragma once

#include "app/parts/frame.h"
#include "core/session/action.h"

namespace headscope {

/// How the numbers of the layers are shown: side by side if they are few, or always as a list, which is
/// narrower.
enum class LayerNumbers { side_by_side, list };
/// Chooses stack, attention and layer on one line. A choice is shown only if the model has more than one.
void place_picker(Frame& frame, LayerNumbers numbers = LayerNumbers::side_by_side);
/// The same with a choice of the head. Returns false if there was nothing to choose.
bool head_picker(Frame& frame);
/// The width of the first picker including the gap after it, in ImGui pixels. 0 if there is nothing to
/// choose.
float place_picker_width(const Frame& frame, LayerNumbers numbers = LayerNumbers::side_by_side);

/// The index of the selected attention in the order of the buttons: encoder, decoder, cross.
int attention_index(const Selection& selection);
/// The selected layer of the attention with this index.
SelectPlace place_of_attention(int index, const Selection& selection);

}  // namespace headscope
