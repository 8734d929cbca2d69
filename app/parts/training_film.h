#pragma once

#include <vector>

#include "app/parts/page_part.h"

namespace headscope {

/// The snapshots of the training that can be shown, from the first weights to the newest. Empty if there is
/// no film, which takes at least two.
std::vector<Snapshot> shown_film(const Frame& frame);

/// Handles the mouse on a page with training curves. Dragging on a curve looks back to the weights of that
/// step.
void scrub_on_curves(Frame& frame, const PageAnswer& mouse);

/// Shows the snapshot whose step is nearest. The last snapshot follows the training again.
void look_back_to(Frame& frame, double step);

}  // namespace headscope
