#pragma once

#include "app/parts/frame.h"
#include "core/session/action.h"

namespace headscope {

/// Chooses stack, attention and layer on one line, where the model has more than one of each.
void place_picker(Frame& frame);
/// How much room it takes up with the gap after it, in ImGui pixels; 0 where there is nothing to choose.
float place_picker_width(const Frame& frame);

/// The kinds of attention of two stacks in the order of their buttons: the encoder's, the decoder's own,
/// cross.
int attention_index(const Selection& selection);
/// The selected layer of the attention with that index.
SelectPlace place_of_attention(int index, const Selection& selection);

}  // namespace headscope
