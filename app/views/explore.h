#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The token strip with lines, all heads small, and the chosen stage of the chosen head large. Fills what is
/// left.
void explore_view(Frame& frame);

}  // namespace headscope
