#pragma once

#include <string>
#include <vector>

#include "core/figure/diagram.h"

namespace headscope {

/// Between boxes that stand in rows.
inline constexpr float head_gap = 4.0F;

struct BoxSize {
  float width = 0.0F, height = 0.0F;
};
/// Where n boxes lie, so many in a row, on both sides of `middle` and from `top` downwards.
std::vector<Box> boxes_in_rows(int n, int in_row, float middle, float top, const BoxSize& size);

/// A text about the middle of a column.
Label centered_label(std::string text, Point at, float size, Font font);

/// Bars below the heads that share keys and values, whose boxes lie so many in a row; a bar goes on in the
/// next row where its group does.
void mark_groups(const Architecture& architecture, const std::vector<Box>& heads, int in_row,
                 Diagram& diagram);

}  // namespace headscope
