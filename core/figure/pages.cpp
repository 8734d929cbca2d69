#include "core/figure/pages.h"

#include <algorithm>
#include <cmath>

#include "core/figure/page_grid.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr float margin = 24.0F;
constexpr float title_size = 16.0F;
constexpr float note_size = 12.0F;

void mark(HeatmapSpec& spec, StageKind kind, const PageSpec& page) {
  const StageInfo& stage = info(kind);
  const auto is_token = [](Axis axis) { return axis == Axis::query_tokens || axis == Axis::key_tokens; };
  if (is_token(stage.rows)) spec.marked_row = page.marked_token;
  if (kind != page.pinned_stage || !page.pinned) return;
  spec.pinned = page.pinned;
  spec.marked_row = page.pinned->row;
  spec.marked_col = page.pinned->col;
}

Result<void> check(const Trace& trace, const StageId& id, const PageSpec& page) {
  if (!trace.has(id) || trace.extent(id).empty()) {
    return failure("this pass has no stage " + path(id) + ": choose one that it has");
  }
  if (page.width < 200.0F || page.height < 200.0F) return usage_error("a figure must be at least 200 × 200");
  return {};
}

/// Title and a line under it; returns where the rest begins.
float draw_page_header(const std::string& title, const std::string& subtitle, float width, const Theme& theme,
                       const MeasureText& measure, Figure& figure) {
  const float room = width - 2.0F * margin;
  figure.items.emplace_back(Label{fitted_text(title, room, Font::sans_bold, title_size, measure),
                                  {margin, margin},
                                  theme.text,
                                  title_size,
                                  Font::sans_bold});
  float y = margin + measure("X", Font::sans_bold, title_size).height + 4.0F;
  if (!subtitle.empty()) {
    figure.items.emplace_back(Label{
        fitted_text(subtitle, room, Font::sans, note_size, measure), {margin, y}, theme.quiet, note_size});
    y += measure("X", Font::sans, note_size).height;
  }
  return std::ceil(y + 16.0F);
}

/// A page as large as its header and the content below it.
void finish_page(const std::string& title, const std::string& subtitle, const PageGrid& grid, float top,
                 const PageSpec& page, const MeasureText& measure, Figure& figure) {
  const float header_width = std::max(measure(title, Font::sans_bold, title_size).width,
                                      measure(subtitle, Font::sans, note_size).width);
  figure.width = std::min(page.width, std::ceil(std::max(grid.width, header_width)) + 2.0F * margin);
  figure.height = std::ceil(top + grid.height + margin);
}

/// All panels under a header, on a page as large as they are.
Figure draw_grid_page(const std::string& title, const std::string& subtitle, std::vector<HeatmapSpec> panels,
                      int n_cols, const PageSpec& page, const MeasureText& measure) {
  const Theme& theme = theme_of(page.picture.theme);
  Figure figure{0.0F, 0.0F, theme.panel, {}};
  const float top = draw_page_header(title, subtitle, page.width, theme, measure, figure);
  const Box area{margin, top, page.width - 2.0F * margin, page.height - top - margin};
  const PageGrid grid = fit_grid(panels, n_cols, area, measure);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    append(figure, draw_heatmap(panels[i], grid.layouts[i], theme, measure), 0.0F, 0.0F);
  }
  finish_page(title, subtitle, grid, top, page, measure, figure);
  return figure;
}

/// Labels at the left and upper edge of a grid only.
void keep_outer_labels(HeatmapSpec& spec, std::size_t index, int n_cols) {
  const auto columns = static_cast<std::size_t>(n_cols);
  if (index % columns != 0) {
    spec.row_labels.clear();
    spec.row_axis.clear();
  }
  if (index >= columns) spec.col_labels.clear();
  spec.col_axis.clear();
}

/// The formula with its sum in letters, where it has one.
std::string with_einsum(const std::string& formula, StageKind kind) {
  const std::string einsum = einsum_text(kind);
  return einsum.empty() ? formula : formula + "   " + einsum;
}

/// The beginning of a page's line under the title.
std::string said_of_weights(const HeatmapSpec& panel) {
  return panel.random ? "untrained: random weights · " : "";
}

/// "Layer 0", "Decoder layer 1 · cross".
std::string attention_text(const Trace& trace, StageId id) {
  id.kind = StageKind::projected;
  return place_text(trace.architecture(), id);
}

}  // namespace

Result<Figure> figure_of_stage(const Trace& trace, const StageId& id, const PageSpec& page,
                               const MeasureText& measure) {
  if (const Result<void> valid = check(trace, id, page); !valid) return tl::unexpected<Error>(valid.error());
  HeatmapSpec spec = heatmap_of_stage(trace, id, page.picture);
  spec.formula = with_einsum(spec.formula, id.kind);
  return figure_of_heatmap(std::move(spec), id.kind, page, measure);
}

Figure figure_of_heatmap(HeatmapSpec spec, StageKind kind, const PageSpec& page, const MeasureText& measure) {
  const Theme& theme = theme_of(page.picture.theme);
  spec.max_cell = 56.0F;
  spec.font_size = 14.0F;
  mark(spec, kind, page);
  const float note_line = measure("X", Font::sans, note_size).height;
  const Box area{margin, margin, page.width - 2.0F * margin, page.height - 2.0F * margin - note_line - 8.0F};
  const HeatmapLayout layout = layout_heatmap(spec, area, measure);
  Figure figure = draw_heatmap(spec, layout, theme, measure);
  const std::string note = stage_note(spec, layout, kind);
  const float note_right = layout.cells.x + measure(note, Font::sans, note_size).width;
  const float right = std::max(layout.content.right(), note_right);
  figure.width = std::min(page.width, std::ceil(right + margin));
  float bottom = layout.content.bottom();
  if (!note.empty()) {
    bottom += 8.0F;
    figure.items.emplace_back(
        Label{fitted_text(note, figure.width - margin - layout.cells.x, Font::sans, note_size, measure),
              {layout.cells.x, bottom},
              theme.quiet,
              note_size});
    bottom += note_line;
  }
  figure.height = std::ceil(bottom + margin);
  return figure;
}

Result<Figure> figure_of_all_heads(const Trace& trace, StageId id, const PageSpec& page,
                                   const MeasureText& measure) {
  const StageKind kind = id.kind;
  id.head = 0;
  if (info(kind).scope != StageScope::head) return figure_of_stage(trace, normalized(id), page, measure);
  if (const Result<void> valid = check(trace, id, page); !valid) return tl::unexpected<Error>(valid.error());
  const int n_heads = trace.architecture().n_heads;
  const int n_cols = grid_columns(n_heads, page.width, page.height);
  const bool shared = page.picture.range == RangeMode::all_heads || page.picture.range == RangeMode::fixed;
  std::vector<HeatmapSpec> panels;
  for (id.head = 0; id.head < n_heads; ++id.head) {
    HeatmapSpec spec = heatmap_of_stage(trace, id, page.picture);
    mark(spec, kind, page);
    spec.pinned.reset();
    spec.title = "head " + std::to_string(id.head);
    spec.formula.clear();
    spec.shape.clear();
    spec.font_size = 12.0F;
    keep_outer_labels(spec, static_cast<std::size_t>(id.head), n_cols);
    spec.color_bar = !shared || id.head == n_cols - 1;
    spec.color_bar_label = false;
    panels.push_back(std::move(spec));
  }
  id.head = 0;
  const std::string title = attention_text(trace, id) + " · " + std::string(info(kind).title) +
                            " · all heads " + shape_text(trace.extent(id));
  const std::string subtitle = said_of_weights(panels.front()) + with_einsum(formula(trace, id), kind) +
                               " · colours " + panels.front().scale.label() +
                               (is_map(kind) ? " · rows are queries, columns are keys" : "");
  return draw_grid_page(title, subtitle, std::move(panels), n_cols, page, measure);
}

namespace {

HeatmapSpec panel_of_stage(const Trace& trace, const StageId& id, const PageSpec& page) {
  HeatmapSpec spec = heatmap_of_stage(trace, id, page.picture);
  mark(spec, id.kind, page);
  spec.title = std::string(info(id.kind).title);
  spec.font_size = 12.0F;
  spec.numbers = false;
  spec.row_axis.clear();
  if (!is_map(id.kind)) spec.col_labels.clear();  // numbers of dimensions
  spec.color_bar_label = false;
  return spec;
}

}  // namespace

Result<Figure> figure_of_head_stages(const Trace& trace, StageId id, const PageSpec& page,
                                     const MeasureText& measure) {
  constexpr int n_cols = 3;
  std::vector<GridPanel> panels;
  int n_before = 0;
  for (const StageInfo& about : all_stage_kinds()) {
    if (about.scope != StageScope::head || about.is_parameter) continue;
    id.kind = about.kind;
    if (id.kind != StageKind::weights && id.head < trace.architecture().n_heads && !trace.has(id)) continue;
    if (const Result<void> valid = check(trace, id, page); !valid)
      return tl::unexpected<Error>(valid.error());
    GridPanel panel{panel_of_stage(trace, id, page), n_before / n_cols, n_before % n_cols, 1};
    // As wide as the model, it takes what is left of a line, or one of its own.
    if (about.cols == Axis::d_model) {
      if (panel.column == n_cols - 1) {
        panel.column = 0;
        ++panel.line;
      }
      panel.n_columns = n_cols - panel.column;
    }
    panels.push_back(std::move(panel));
    ++n_before;
  }
  const std::string title =
      attention_text(trace, id) + " · head " + std::to_string(id.head) + ", step by step";
  const std::string subtitle = said_of_weights(panels.front().spec) +
                               "in score and weight maps rows are queries, columns are keys · colours " +
                               panels.front().spec.scale.label();
  const Theme& theme = theme_of(page.picture.theme);
  Figure figure{0.0F, 0.0F, theme.panel, {}};
  const float top = draw_page_header(title, subtitle, page.width, theme, measure, figure);
  const Box area{margin, top, page.width - 2.0F * margin, page.height - top - margin};
  const PageGrid grid = fit_lines(panels, area, measure);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    append(figure, draw_heatmap(panels[i].spec, grid.layouts[i], theme, measure), 0.0F, 0.0F);
  }
  finish_page(title, subtitle, grid, top, page, measure, figure);
  return figure;
}

}  // namespace headscope
