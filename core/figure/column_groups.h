#pragma once

#include <span>
#include <string>

#include "core/figure/heatmap.h"

namespace headscope {

/// Neighbouring columns of a heatmap that belong together: the dimensions of a head.
struct ColumnGroup {
  int first = 0;
  int count = 0;
  std::string label;
  Color color;          ///< of the bracket
  bool marked = false;  ///< the one that is looked at: bold, in the accent colour
};

/// Height of the brackets and names above a heatmap, whose area must begin that much lower.
float column_groups_height(float font_size);

/// A bracket with its name over each group, above the heatmap's column labels. Columns outside the heatmap's
/// window have none; a name that its bracket does not hold is shortened, then left out.
Figure draw_column_groups(std::span<const ColumnGroup> groups, const HeatmapLayout& layout, float font_size,
                          const Theme& theme, const MeasureText& measure);

/// The colour of a head among others: dark and light steps of one hue, so that they differ to every eye.
Color head_color(const PictureOptions& options, int head, int n_heads);

}  // namespace headscope
