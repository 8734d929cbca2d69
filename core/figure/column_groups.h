#pragma once

#include <span>
#include <string>

#include "core/figure/heatmap.h"

namespace headscope {

/// Neighbouring columns of a heatmap that belong together, such as the dimensions of a head.
struct ColumnGroup {
  int first = 0;
  int count = 0;
  std::string label;
  Color color;          ///< The colour of the bracket.
  bool marked = false;  ///< The selected group, drawn bold and in the accent colour.
};

/// The height of the brackets and names. The area of the heatmap must begin this much lower.
float column_groups_height(float font_size);

/// Draws a bracket with a name over each group, above the column labels of the heatmap. Columns outside the
/// window of the heatmap have none. A name that is wider than its bracket is shortened or omitted.
Figure draw_column_groups(std::span<const ColumnGroup> groups, const HeatmapLayout& layout, float font_size,
                          const Theme& theme, const MeasureText& measure);

/// The colour of a head. The heads have dark and light steps of one hue, so that everyone can tell them
/// apart.
Color head_color(const PictureOptions& options, int head, int n_heads);

}  // namespace headscope
