#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of the architecture as a diagram. It has a box for every part of every layer, and a click on a
/// box leads to its stages. The boxes that the chosen stage was computed from are marked. While a difference
/// is shown, each box says how many of its rows have changed.
void model_view(Frame& frame);

}  // namespace headscope
