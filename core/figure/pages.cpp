#include "core/figure/pages.h"

#include <algorithm>
#include <cmath>

#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr float margin = 24.0F;
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

/// The formula, followed by its sum in letters if it has one.
std::string with_einsum(const Trace& trace, const StageId& id, const std::string& formula) {
  const std::string einsum = einsum_text(trace, id);
  return einsum.empty() ? formula : formula + "   " + einsum;
}

}  // namespace

Result<Figure> figure_of_stage(const Trace& trace, const StageId& id, const PageSpec& page,
                               const MeasureText& measure) {
  if (const Result<void> valid = check(trace, id, page); !valid) return tl::unexpected<Error>(valid.error());
  HeatmapSpec spec = heatmap_of_stage(trace, id, page.picture);
  if (page.picture.details) spec.formula = with_einsum(trace, id, spec.formula);
  return figure_of_heatmap(std::move(spec), id.kind, page, measure);
}

Figure figure_of_heatmap(HeatmapSpec spec, StageKind kind, const PageSpec& page, const MeasureText& measure) {
  const Theme& theme = theme_of(page.picture.theme);
  spec.max_cell = 56.0F;
  spec.font_size = 14.0F;
  spec.cover = page.cover;
  mark(spec, kind, page);
  const float note_line = measure("X", Font::sans, note_size).height;
  const Box area{margin, margin, page.width - 2.0F * margin, page.height - 2.0F * margin - note_line - 8.0F};
  const HeatmapLayout layout = layout_heatmap(spec, area, measure);
  const auto cells = read_cells(spec, layout);
  Figure figure = draw_heatmap(spec, layout, cells.get(), theme, measure);
  const std::string note = stage_note(spec, layout, *cells, kind);
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

}  // namespace headscope
