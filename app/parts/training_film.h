#pragma once

#include "app/parts/page_part.h"

namespace headscope {

/// Handles a page with training curves. Dragging on the curves looks back to the weights of that step.
void scrub_on_curves(Frame& frame, const PageAnswer& mouse);

/// Shows the snapshot whose step is nearest. The last snapshot follows the training again.
void look_back_to(Frame& frame, double step);

}  // namespace headscope
