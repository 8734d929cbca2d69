#include "core/figure/page_grid.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace headscope {
namespace {

constexpr float distance = 24.0F;  ///< between panels
constexpr float greatest_cell = 44.0F;

constexpr float unlimited = 10000.0F;

/// The room of each column: the same for the cells, and what the column's labels and colour bars take.
std::vector<float> slot_widths(std::vector<HeatmapSpec>& panels, int n_cols, float width, float cell,
                               const MeasureText& measure) {
  std::vector<float> slots(static_cast<std::size_t>(n_cols), 0.0F);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels[i].max_cell = cell;
    const HeatmapLayout layout = layout_heatmap(panels[i], {0.0F, 0.0F, unlimited, unlimited}, measure);
    float& slot = slots[i % static_cast<std::size_t>(n_cols)];
    slot = std::max(slot, layout.beside_cells);
  }
  float taken = distance * static_cast<float>(n_cols - 1);
  for (const float slot : slots) taken += slot;
  const float room = std::max(1.0F, (width - taken) / static_cast<float>(n_cols));
  for (float& slot : slots) slot += room;
  return slots;
}

/// The panels with cells of at most `cell`, where no one limits their height.
PageGrid place(std::vector<HeatmapSpec>& panels, int n_cols, Box area, float cell,
               const MeasureText& measure) {
  const std::vector<float> slots = slot_widths(panels, n_cols, area.w, cell, measure);
  PageGrid grid;
  std::vector<float> widths(static_cast<std::size_t>(n_cols), 0.0F);
  std::vector<float> heights;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t col = i % static_cast<std::size_t>(n_cols);
    if (col == 0) heights.push_back(0.0F);
    grid.layouts.push_back(layout_heatmap(panels[i], {0.0F, 0.0F, slots[col], unlimited}, measure));
    const HeatmapLayout& layout = grid.layouts.back();
    widths[col] = std::max(widths[col], layout.content.w);
    heights.back() = std::max(heights.back(), layout.content.h);
  }
  float y = area.y;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t col = i % static_cast<std::size_t>(n_cols);
    const std::size_t row = i / static_cast<std::size_t>(n_cols);
    if (col == 0 && row > 0) y += std::ceil(heights[row - 1]) + distance;
    float x = area.x;
    for (std::size_t before = 0; before < col; ++before) x += std::ceil(widths[before]) + distance;
    grid.layouts[i] = layout_heatmap(panels[i], {x, y, slots[col], heights[row]}, measure);
    grid.width = std::max(grid.width, x + widths[col] - area.x);
    grid.height = y + heights[row] - area.y;
  }
  return grid;
}

int columns_of(const std::vector<GridPanel>& panels) {
  int most = 1;
  for (const GridPanel& panel : panels) most = std::max(most, panel.column + panel.n_columns);
  return most;
}

/// Gives all panels the room that the widest labels and numbers take.
void share_margins(std::vector<GridPanel>& panels, float cell, const MeasureText& measure) {
  float left = 0.0F;
  float right = 0.0F;
  for (GridPanel& panel : panels) {
    panel.spec.max_cell = cell;
    panel.spec.least_left = panel.spec.least_right = 0.0F;
    const HeatmapLayout layout = layout_heatmap(panel.spec, {0.0F, 0.0F, unlimited, unlimited}, measure);
    left = std::max(left, layout.cells.x);
    right = std::max(right, layout.beside_cells - layout.cells.x);
  }
  for (GridPanel& panel : panels) {
    panel.spec.least_left = left;
    panel.spec.least_right = std::ceil(right) + 1.0F;
  }
}

/// The panels with cells as high as those of a map of `width` are wide, at most `cell`.
PageGrid place_lines(std::vector<GridPanel>& panels, Box area, float cell, const MeasureText& measure) {
  share_margins(panels, cell, measure);
  const int n_cols = columns_of(panels);
  const float slot = (area.w - distance * static_cast<float>(n_cols - 1)) / static_cast<float>(n_cols);
  // Square cells may be narrower than `cell`: then all are as high as these.
  float height = cell;
  for (const GridPanel& panel : panels) {
    if (panel.n_columns > 1) continue;
    const HeatmapLayout layout = layout_heatmap(panel.spec, {0.0F, 0.0F, slot, unlimited}, measure);
    if (layout.n_rows == layout.n_cols) height = std::min(height, layout.cell_height);
  }
  for (GridPanel& panel : panels) panel.spec.max_cell = height;
  float widest = 0.0F;
  for (const GridPanel& panel : panels) {
    if (panel.n_columns > 1) continue;
    widest = std::max(widest, layout_heatmap(panel.spec, {0.0F, 0.0F, slot, unlimited}, measure).content.w);
  }
  const float step = std::ceil(std::min(widest, slot)) + distance;
  PageGrid grid;
  float y = area.y;
  float line_height = 0.0F;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const GridPanel& panel = panels[i];
    if (i > 0 && panel.line != panels[i - 1].line) {
      y += std::ceil(line_height) + distance;
      line_height = 0.0F;
    }
    const float x = area.x + step * static_cast<float>(panel.column);
    const float width = panel.n_columns > 1 ? step * static_cast<float>(panel.n_columns) - distance : slot;
    grid.layouts.push_back(layout_heatmap(panel.spec, {x, y, width, unlimited}, measure));
    const HeatmapLayout& layout = grid.layouts.back();
    line_height = std::max(line_height, layout.content.h);
    grid.width = std::max(grid.width, layout.content.right() - area.x);
    grid.height = y + line_height - area.y;
  }
  return grid;
}

/// Of sizes in quarters of an octave, fine enough to fill a page and few enough to try by bisection, the
/// largest cell that fits.
float largest_cell(const std::function<bool(float)>& fits) {
  constexpr int n_sizes = 40;
  const auto size_of = [](int i) { return greatest_cell * std::pow(2.0F, -0.25F * static_cast<float>(i)); };
  int too_large = -1;
  int fitting = n_sizes;
  while (fitting - too_large > 1) {
    const int middle = (fitting + too_large) / 2;
    (fits(size_of(middle)) ? fitting : too_large) = middle;
  }
  return size_of(fitting);
}

}  // namespace

PageGrid fit_lines(std::vector<GridPanel>& panels, Box area, const MeasureText& measure) {
  const float cell = largest_cell([&](float size) {
    const PageGrid grid = place_lines(panels, area, size, measure);
    return grid.height <= area.h && grid.width <= area.w;
  });
  return place_lines(panels, area, cell, measure);
}

PageGrid fit_grid(std::vector<HeatmapSpec>& panels, int n_cols, Box area, const MeasureText& measure) {
  const float cell = largest_cell([&](float size) {
    const PageGrid grid = place(panels, n_cols, area, size, measure);
    return grid.height <= area.h && grid.width <= area.w;
  });
  PageGrid grid = place(panels, n_cols, area, cell, measure);
  // Numbers in all panels or in none, and of one size.
  float smallest = grid.layouts.empty() ? 0.0F : grid.layouts.front().number_size;
  for (const HeatmapLayout& layout : grid.layouts) smallest = std::min(smallest, layout.number_size);
  for (HeatmapLayout& layout : grid.layouts) layout.number_size = smallest;
  return grid;
}

int grid_columns(int n, float width, float height) {
  const float wanted = std::sqrt(static_cast<float>(n) * width / std::max(1.0F, height));
  const int n_cols = std::clamp(static_cast<int>(std::lround(wanted)), 1, std::max(1, n));
  const int n_rows = (n + n_cols - 1) / n_cols;
  return (n + n_rows - 1) / n_rows;
}

}  // namespace headscope
