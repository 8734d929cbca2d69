#pragma once

#include "app/parts/page_part.h"

namespace headscope {

/// On a page with the curves of a training: dragging on them looks back to the weights of that step, and a
/// button on the first of them plays all snapshots one after the other, on whatever page.
void film_on_curves(Frame& frame, const PageAnswer& mouse);

/// Shows the snapshot with this many steps, or the nearest; the last means to follow the training again.
void look_back_to(Frame& frame, double step);

}  // namespace headscope
