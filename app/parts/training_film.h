#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The curves of a training, over what is left of the room: dragging on them looks back to the weights of
/// that step, and a button beside them plays all snapshots one after the other, on whatever page.
void training_curves(Frame& frame);

/// Shows the snapshot with this many steps, or the nearest; the last means to follow the training again.
void look_back_to(Frame& frame, double step);

}  // namespace headscope
