#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The views of the workspace that is open, and what the one that is shown is for, in one sentence.
void view_bar(Frame& frame);
/// Its height, in design units.
inline constexpr float view_bar_height = 36.0F;

}  // namespace headscope
