#include "core/page/map_panel.h"

#include <algorithm>

#include "core/figure/pages.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/page_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

/// How much larger the cells of a section may be, so that it fills the place of the whole.
float zoomed_by(const CellWindow& window, const MatrixView& values) {
  if (window.n_rows <= 0 || window.n_cols <= 0) return 1.0F;
  const float rows = static_cast<float>(values.rows) / static_cast<float>(window.n_rows);
  const float cols = static_cast<float>(values.cols) / static_cast<float>(window.n_cols);
  return std::max({rows, cols, 1.0F});
}

void apply_look(const MapKey& key, HeatmapSpec& spec) {
  if (!key.look.title) {
    spec.title.clear();
    spec.shape.clear();
    spec.formula.clear();
  }
  if (!key.look.labels) {
    spec.row_labels.clear();
    spec.col_labels.clear();
    spec.row_axis.clear();
    spec.col_axis.clear();
  }
  spec.numbers = spec.numbers && key.look.numbers;
  spec.color_bar = key.look.color_bar;
  spec.color_bar_label = spec.color_bar_label && key.look.color_bar_label;
  spec.max_cell = key.look.max_cell * zoomed_by(key.window, spec.values);
  spec.font_size = key.look.font_size;
  spec.window = key.window;
  spec.marked_row = key.marked_row;
  spec.marked_col = key.marked_col;
}

void draw_panel(const PageTools& tools, MapPanel& panel) {
  const MapKey& key = panel.key;
  panel.problem.clear();
  panel.figure = Figure{};
  panel.layout = HeatmapLayout{};
  if (!key.trace->has(key.stage)) {
    panel.problem = "This pass has no " + std::string(info(key.stage.kind).title) + ".";
    return;
  }
  if (key.against) {
    auto changed = difference(*key.trace, key.stage, *key.against, key.against_stage);
    if (!changed) {
      panel.problem = "Nothing to compare: " + changed.error().message;
      return;
    }
    panel.difference = std::move(*changed);
    panel.spec = difference_spec(*key.trace, key.stage, panel.difference, key.picture,
                                 tools.memo.held_ranges[key.stage.kind]);
  } else {
    panel.spec = heatmap_of_stage(*key.trace, key.stage, key.picture);
  }
  apply_look(key, panel.spec);
  panel.layout = layout_heatmap(panel.spec, {0.0F, 0.0F, key.width, key.height}, tools.measure);
  panel.figure = draw_heatmap(panel.spec, panel.layout, theme_of(key.picture.theme), tools.measure);
}

MapKey key_of(const PageInputs& in, const PageTools& tools, const StageId& stage, const MapLook& look) {
  const Selection& selection = in.session.selection;
  const Axis rows = info(stage.kind).rows;
  const bool token_rows =
      rows == Axis::query_tokens || (rows == Axis::key_tokens && stage.attention == AttentionKind::self);
  MapKey key;
  key.trace = in.trace;
  key.stage = stage;
  if (!look.present) key.against = in.against();
  if (key.against) key.against_stage = in.counterpart(stage);
  key.picture = in.session.picture;
  key.look = look;
  if (key.against) key.held_range = tools.memo.held_ranges[stage.kind];
  if (token_rows) key.marked_row = selection.token;
  if (selection.pin && is_map(stage.kind) && is_map(selection.pin->stage.kind)) {
    key.marked_col = selection.pin->col;
  }
  key.fonts = tools.fonts;
  return key;
}

}  // namespace

MapPanel& map_panel(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
                    float width, float height, const MapLook& look) {
  MapPanel& panel = tools.memo.maps[slot];
  const Extent values = in.trace->extent(stage);
  const CellWindow& window = panel.window;
  if (panel.key.stage != stage || window.first_row + window.n_rows > values.rows ||
      window.first_col + window.n_cols > values.cols) {
    panel.window = {};
  }
  MapKey key = key_of(in, tools, stage, look);
  key.width = width;
  key.height = height;
  key.window = panel.window;
  if (key == panel.key) return panel;
  panel.key = std::move(key);
  draw_panel(tools, panel);
  return panel;
}

Page map_page(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
              float width, float height, const MapLook& look) {
  const MapPanel& panel = map_panel(in, tools, slot, stage, width, height, look);
  Page page;
  if (!panel.problem.empty()) {
    PageText text(in, tools, width);
    text.paragraph(panel.problem);
    return text.take();
  }
  page.figure = panel.figure;
  page.figure.width = width;
  page.figure.height = height;
  page.regions.push_back({panel.layout.cells, StageCells{stage, slot, grid_of(panel.layout)}});
  return page;
}

}  // namespace headscope
