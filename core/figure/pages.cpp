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

/// The width of the note below a map. It wraps below a narrow map, so that it does not make the figure wider
/// than the map needs.
float room_of_note(const HeatmapLayout& layout, float page_width) {
  constexpr float least = 320.0F;
  const float most = page_width - margin - layout.cells.x;
  return std::min(most, std::max(layout.content.right() - layout.cells.x, least));
}

/// The lines of a note. A very long one ends in “…”.
std::vector<std::string> note_lines(const std::string& note, float room, const MeasureText& measure) {
  constexpr std::size_t most = 4;
  if (note.empty()) return {};
  std::vector<std::string> lines = wrapped_lines(note, room, Font::sans, note_size, measure, most + 1);
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() = elided_text(lines.back() + " …", room, Font::sans, note_size, measure);
  }
  return lines;
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
  spec.color_bar = spec.color_bar && page.has_color_bar;
  if (!page.has_title) spec.title = spec.formula = spec.shape = "";
  mark(spec, kind, page);
  const float note_line = measure("X", Font::sans, note_size).height;
  HeatmapLayout layout;
  std::shared_ptr<const HeatmapCells> cells;
  std::vector<std::string> lines;
  float room = 0.0F;
  // A note of several lines leaves less room for the map, which is then laid out again.
  for (std::size_t n_lines = 1;; n_lines = lines.size()) {
    const float for_note = static_cast<float>(n_lines) * note_line + 8.0F;
    layout = layout_heatmap(
        spec, {margin, margin, page.width - 2.0F * margin, page.height - 2.0F * margin - for_note}, measure);
    cells = read_cells(spec, layout);
    room = room_of_note(layout, page.width);
    if (page.has_note) lines = note_lines(stage_note(spec, layout, *cells, kind), room, measure);
    if (lines.size() <= n_lines) break;
  }
  Figure figure = draw_heatmap(spec, layout, cells.get(), theme, measure);
  float right = layout.content.right();
  float bottom = layout.content.bottom() + (lines.empty() ? 0.0F : 8.0F);
  for (const std::string& line : lines) {
    figure.write(line, {layout.cells.x, bottom}, theme.quiet, note_size);
    right = std::max(right, layout.cells.x + measure(line, Font::sans, note_size).width);
    bottom += note_line;
  }
  figure.width = std::min(page.width, std::ceil(right + margin));
  figure.height = std::ceil(bottom + margin);
  return figure;
}

}  // namespace headscope
