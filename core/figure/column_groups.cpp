#include "core/figure/column_groups.h"

#include <algorithm>
#include <cmath>

#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr float line_height = 1.25F;  ///< Relative to the font size.
constexpr float tick = 5.0F;          ///< The length of a bracket's ends.
constexpr float below_bracket = 4.0F;
constexpr float thickness = 2.0F;

}  // namespace

void draw_bracket(float left, float right, float top, Color color, Figure& figure) {
  add_box(figure, {left, top, right - left, thickness}, color);
  add_box(figure, {left, top, thickness, tick}, color);
  add_box(figure, {right - thickness, top, thickness, tick}, color);
}

float column_groups_height(float font_size) {
  return std::ceil(line_height * font_size) + tick + below_bracket;
}

Figure draw_column_groups(std::span<const ColumnGroup> groups, const HeatmapLayout& layout, float font_size,
                          const Theme& theme, const MeasureText& measure) {
  Figure figure{layout.area.right(), layout.area.bottom(), {0, 0, 0, 0}, {}};
  const float bottom = layout.cells.y - layout.col_label_height - below_bracket;
  const float top = bottom - tick;
  for (const ColumnGroup& group : groups) {
    const int first = std::max(group.first, layout.first_col);
    const int end = std::min(group.first + group.count, layout.first_col + layout.n_cols);
    if (first >= end) continue;
    const float left = layout.box_of(layout.first_row, first).x;
    const float right = layout.box_of(layout.first_row, end - 1).right() - std::max(0.0F, 1.0F - layout.gap);
    if (right - left < 2.0F * thickness) continue;
    draw_bracket(left, right, top, group.marked ? theme.accent : group.color, figure);
    const Font font = group.marked ? Font::sans_bold : Font::sans;
    figure.write(elided_text(group.label, right - left, font, font_size, measure),
                 {0.5F * (left + right), top - 2.0F}, group.marked ? theme.accent : theme.text, font_size,
                 font, HorizontalAnchor::center, VerticalAnchor::bottom);
  }
  return figure;
}

Color head_color(const PictureOptions& options, int head, int n_heads) {
  constexpr float lightest = 0.45F;
  constexpr float darkest = 0.85F;
  const float share = n_heads > 1 ? static_cast<float>(head) / static_cast<float>(n_heads - 1) : 0.5F;
  return sample(color_map(options.sequential, options.theme), lightest + share * (darkest - lightest));
}

}  // namespace headscope
