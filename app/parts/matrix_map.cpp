#include "app/parts/matrix_map.h"

#include <algorithm>
#include <cmath>

#include "app/ui/figure_painter.h"

namespace headscope {
namespace {

bool same_pass(const std::weak_ptr<const Trace>& a, const std::shared_ptr<const Trace>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

/// True if the numbers were recomputed.
bool refresh_numbers(MatrixMapCache& cache, const MatrixMap& map) {
  const bool same =
      cache.name == map.name && cache.picture == map.picture && same_pass(cache.trace, map.trace);
  if (same) return false;
  cache.name = map.name;
  cache.trace = map.trace;
  cache.picture = map.picture;
  cache.spec = map.make(cache.numbers);
  return true;
}

bool same_place(const MatrixMapCache& cache, const MatrixMap& map, float width, float height,
                std::size_t fonts) {
  return cache.width == width && cache.height == height && cache.above == map.above && cache.fonts == fonts &&
         cache.window == map.window && cache.marked_row == map.marked_row &&
         cache.marked_col == map.marked_col;
}

void refresh(Ui& ui, MatrixMapCache& cache, const MatrixMap& map, float width, float height) {
  const std::size_t fonts = ui.fonts.generation();
  const bool same_numbers = !refresh_numbers(cache, map);
  if (same_numbers && same_place(cache, map, width, height, fonts)) return;
  cache.width = width;
  cache.height = height;
  cache.above = map.above;
  cache.fonts = fonts;
  cache.window = map.window;
  cache.marked_row = map.marked_row;
  cache.marked_col = map.marked_col;
  cache.spec.window = map.window;
  cache.spec.marked_row = map.marked_row;
  cache.spec.marked_col = map.marked_col;
  cache.spec.max_cell = map.max_cell;
  const MeasureText measure = ui.measure();
  const Box area{0.0F, map.above, width, std::max(height - map.above, 1.0F)};
  cache.layout = layout_heatmap(cache.spec, area, measure);
  cache.figure = draw_heatmap(cache.spec, cache.layout, ui.theme(), measure);
}

void paint_hovered(Ui& ui, MatrixMapCache& cache, ImVec2 origin, CellIndex cell) {
  Figure marks;
  cache.spec.hovered = cell;
  draw_heatmap_marks(cache.spec, cache.layout, ui.theme(), marks);
  cache.spec.hovered.reset();
  paint_figure(ui, *ImGui::GetWindowDrawList(), marks, origin, ui.scale());
}

}  // namespace

MatrixMapAnswer matrix_map(Ui& ui, MatrixMapCache& cache, const MatrixMap& map, ImVec2 size) {
  refresh(ui, cache, map, size.x / ui.scale(), size.y / ui.scale());
  MatrixMapAnswer answer{ImGui::GetCursorScreenPos(), std::nullopt, false};
  ImGui::PushID(&cache);
  const float height = std::min(size.y, std::ceil(cache.layout.content.bottom() * ui.scale()));
  invisible_button("map", {size.x, height});
  ImGui::PopID();
  paint_figure(ui, *ImGui::GetWindowDrawList(), cache.figure, answer.origin, ui.scale());
  if (!ImGui::IsItemHovered()) return answer;
  answer.cell = cache.layout.cell_at(to_figure(ImGui::GetIO().MousePos, answer.origin, ui.scale()));
  if (!answer.cell) return answer;
  answer.clicked = ImGui::IsMouseClicked(0);
  paint_hovered(ui, cache, answer.origin, *answer.cell);
  return answer;
}

}  // namespace headscope
