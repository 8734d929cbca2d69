#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view with the token strip and its lines, small maps of all heads, and a large map of the chosen stage
/// of the chosen head. It fills the remaining room.
void explore_view(Frame& frame);

}  // namespace headscope
