#pragma once

#include "app/parts/frame.h"
#include "core/session/action.h"

namespace headscope {

/// Chooses stack, attention and layer on one line, where the model has more than one of each; at its end,
/// what is seen is covered, or held and compared.
void place_picker(Frame& frame);

/// In a model without that line, its links, which end `right` of the cursor. How much room they take up with
/// the gap before them, in ImGui pixels; 0 where the line above has it.
float compare_part(Frame& frame, float right);

/// The kinds of attention of two stacks in the order of their buttons: the encoder's, the decoder's own,
/// cross.
int attention_index(const Selection& selection);
/// The selected layer of the attention with that index.
SelectPlace place_of_attention(int index, const Selection& selection);

}  // namespace headscope
