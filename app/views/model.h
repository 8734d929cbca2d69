#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The architecture as a diagram: a box for every part of every layer, a click on it goes to its stages.
/// Boxes that the chosen stage was computed from are marked. While a difference is shown, each box says how
/// many of its rows have changed.
void model_view(Frame& frame);

}  // namespace headscope
