#include "core/page/parts/table_panel.h"

#include <algorithm>
#include <cmath>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {
namespace {

bool same_pass(const std::weak_ptr<const Trace>& a, const std::shared_ptr<const Trace>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

bool same_numbers(const TablePanel& panel, const TableSpec& table) {
  return panel.name == table.name && panel.picture == table.picture && same_pass(panel.trace, table.trace);
}

bool same_drawing(const TablePanel& panel, const TableSpec& table, float width, float height,
                  std::size_t fonts) {
  return panel.width == width && panel.height == height && panel.above == table.above &&
         panel.fonts == fonts && panel.max_cell == table.max_cell && panel.window == table.window &&
         panel.marked_row == table.marked_row && panel.marked_col == table.marked_col;
}

void draw(TablePanel& panel, const TableSpec& table, float width, float height, const PageTools& tools) {
  panel.width = width;
  panel.height = height;
  panel.above = table.above;
  panel.fonts = tools.fonts;
  panel.max_cell = panel.spec.max_cell = table.max_cell;
  panel.window = panel.spec.window = table.window;
  panel.marked_row = panel.spec.marked_row = table.marked_row;
  panel.marked_col = panel.spec.marked_col = table.marked_col;
  const Box area{0.0F, table.above, width, std::max(height - table.above, 1.0F)};
  panel.layout = layout_heatmap(panel.spec, area, tools.measure);
  panel.figure = draw_heatmap(panel.spec, panel.layout, theme_of(table.picture.theme), tools.measure);
}

}  // namespace

void show_shares(HeatmapSpec& spec, const PictureOptions& picture, const MatrixView& numbers) {
  PictureOptions options = picture;
  options.range = RangeMode::fixed;
  options.fixed_low = 0.0;
  options.fixed_high = 1.0;
  constexpr bool is_signed = false;
  spec.scale = ColorScale(options, is_signed, numbers);
  spec.color_bar = false;
  if (!picture.details) spec.notation = CellNotation::share;
  spec.numbers = picture.numbers;
}

Page table_page(PageTools& tools, const std::string& slot, const TableSpec& table,
                const std::function<HeatmapSpec(OwnedMatrix& numbers)>& make, float width, float height) {
  TablePanel& panel = tools.memo.tables[slot];
  const bool is_same = same_numbers(panel, table);
  if (!is_same) {
    panel.name = table.name;
    panel.trace = table.trace;
    panel.picture = table.picture;
    panel.spec = make(panel.numbers);
  }
  if (!is_same || !same_drawing(panel, table, width, height, tools.fonts)) {
    draw(panel, table, width, height, tools);
  }
  Page page{panel.figure, {}};
  page.figure.width = width;
  page.figure.height = std::min(height, std::ceil(panel.layout.content.bottom()));
  page.regions.push_back({panel.layout.cells, TableCells{slot, panel.layout.grid()}});
  return page;
}

}  // namespace headscope
