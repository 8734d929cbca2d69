#pragma once

#include "core/figure/theme.h"

namespace headscope {

/// Sets ImGui's style: the theme's colours, an 8-pixel grid, quiet borders and one accent. Lengths are
/// multiplied by `scale`.
void apply_style(const Theme& theme, float scale);

}  // namespace headscope
