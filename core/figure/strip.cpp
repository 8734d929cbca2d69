#include "core/figure/strip.h"

#include <algorithm>
#include <cmath>

#include "core/figure/color_bar.h"
#include "core/figure/text_fit.h"

namespace headscope {

StripLayout layout_strip(const StripSpec& spec, Point top_left, float width) {
  constexpr float widest_cell = 16.0F;
  constexpr float narrowest_cell = 4.0F;
  constexpr float wrapped_cell = 8.0F;
  StripLayout layout;
  layout.n_values = static_cast<int>(spec.values.size());
  layout.cell_height = std::ceil(spec.font_size + 3.0F);
  const float room = std::max(narrowest_cell, width - spec.label_width);
  const float wanted = layout.n_values > 0 ? room / static_cast<float>(layout.n_values) : room;
  if (wanted >= narrowest_cell) {
    layout.cell_width = std::min(wanted, widest_cell);
    layout.per_line = std::max(1, layout.n_values);
  } else {
    layout.per_line = std::max(1, static_cast<int>(room / wrapped_cell));
    layout.cell_width = room / static_cast<float>(layout.per_line);
  }
  const int n_lines = std::max(1, (layout.n_values + layout.per_line - 1) / layout.per_line);
  const float height = static_cast<float>(n_lines) * layout.cell_height;
  layout.cells = {top_left.x + spec.label_width, top_left.y,
                  layout.cell_width * static_cast<float>(std::min(layout.per_line, layout.n_values)), height};
  layout.area = {top_left.x, top_left.y, width, height};
  return layout;
}

Box StripLayout::box_of(int index) const {
  const int line = index / per_line;
  const int place = index % per_line;
  return {cells.x + static_cast<float>(place) * cell_width, cells.y + static_cast<float>(line) * cell_height,
          cell_width, cell_height};
}

std::optional<int> StripLayout::index_at(Point point) const {
  if (!cells.contains(point)) return std::nullopt;
  const int place = std::min(per_line - 1, static_cast<int>((point.x - cells.x) / cell_width));
  const int line = static_cast<int>((point.y - cells.y) / cell_height);
  const int index = line * per_line + place;
  if (index >= n_values) return std::nullopt;
  return index;
}

Figure draw_strip(const StripSpec& spec, const StripLayout& layout, const Theme& theme,
                  const MeasureText& measure) {
  Figure figure{layout.area.right(), layout.area.bottom(), theme.panel, {}};
  const std::string label =
      fitted_text(spec.label, spec.label_width - 8.0F, Font::sans, spec.font_size, measure);
  figure.items.emplace_back(Label{label,
                                  {layout.area.x, layout.area.y + 0.5F * (layout.cell_height - 1.0F)},
                                  theme.quiet,
                                  spec.font_size,
                                  Font::sans,
                                  HorizontalAnchor::left,
                                  VerticalAnchor::middle});
  for (int i = 0; i < layout.n_values; ++i) {
    Box box = layout.box_of(i);
    // Edges on whole units keep the gaps equal to the eye.
    const float right = std::floor(box.right());
    box.x = std::floor(box.x);
    box.w = std::max(1.0F, right - box.x - 1.0F);
    box.h -= 1.0F;
    const std::optional<Color> color = spec.scale.color(spec.values[static_cast<std::size_t>(i)]);
    if (color) {
      figure.items.emplace_back(FilledRect{box, *color});
    } else {
      figure.items.emplace_back(Hatch{box, hatch_color(theme)});
    }
    if (spec.hovered == i) figure.items.emplace_back(StrokedRect{box, theme.accent, 2.0F});
  }
  return figure;
}

}  // namespace headscope
