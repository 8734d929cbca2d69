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
  bool marked = false;  ///< Selected: drawn bold and in the accent colour.
};

/// The height of the brackets and names, by which the area of the heatmap must be lower.
float column_groups_height(float font_size);

/// Draws a bracket that is open below. `top` is the upper edge of its line.
void draw_bracket(float left, float right, float top, Color color, Figure& figure);

/// Draws a bracket with a name over each group, above the column labels of the heatmap, in its window. Names
/// that are wider than their brackets are elided or omitted.
Figure draw_column_groups(std::span<const ColumnGroup> groups, const HeatmapLayout& layout, float font_size,
                          const Theme& theme, const MeasureText& measure);

/// The colour of a head: dark and light steps of one hue, which everyone can distinguish.
Color head_color(const PictureOptions& options, int head, int n_heads);

}  // namespace headscope
