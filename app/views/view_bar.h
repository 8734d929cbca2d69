#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Draws the tabs of the views in the open workspace. The cursor is then at the beginning of the rest of
/// their line.
void view_bar(Frame& frame);
/// The height of that line in design units.
inline constexpr float view_bar_height = 36.0F;

}  // namespace headscope
