#pragma once

#include <string>
#include <vector>

#include "core/figure/diagram.h"

namespace headscope {

/// The gap between boxes in rows.
inline constexpr float head_gap = 4.0F;

struct BoxSize {
  float width = 0.0F, height = 0.0F;
};
/// The positions of `n` boxes in rows of `in_row`. The rows are centred at x = `middle` and extend downwards
/// from `top`.
std::vector<Box> boxes_in_rows(int n, int in_row, float middle, float top, const BoxSize& size);

/// A text that is centred horizontally at a point.
Label centered_label(std::string text, Point at, float size, Font font);

/// Adds bars below the heads that share keys and values. The boxes of the heads lie in rows of `in_row`, and
/// a bar continues in the next row if its group does.
void mark_groups(const Architecture& architecture, const std::vector<Box>& heads, int in_row,
                 Diagram& diagram);

}  // namespace headscope
