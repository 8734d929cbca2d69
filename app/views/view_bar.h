#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Draws the tabs of the views of the open workspace, and says in one sentence what the shown one is for.
void view_bar(Frame& frame);
/// The height of that line, in design units.
inline constexpr float view_bar_height = 36.0F;

}  // namespace headscope
