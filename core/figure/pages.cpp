#include "core/figure/pages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/figure/text_fit.h"
#include "core/trace/guess.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

std::string axis_title(Axis axis, bool of_map) {
  if (axis == Axis::single) return {};
  if (of_map && axis == Axis::query_tokens) return "queries";
  if (of_map && axis == Axis::key_tokens) return "keys";
  return std::string(info(axis).name);
}

AxisTexts axis_labels(const Trace& trace, const StageId& id, Axis axis, int count) {
  if (axis == Axis::single) return {};
  return {count, [&trace, id, axis](int index) { return trace.label(id, axis, index); }};
}

}  // namespace

std::string stage_title(const Trace& trace, const StageId& id) {
  const std::string place = place_text(trace, id);
  return place + (place.empty() ? "" : " · ") + std::string(info(id.kind).title);
}

bool is_random(const Trace& trace, StageKind kind) {
  const Positions positions = trace.architecture().positions;
  if (kind == StageKind::positions && positions != Positions::learned) return false;
  if (kind == StageKind::position_bias && positions == Positions::alibi) return false;
  return trace.is_untrained();
}

namespace {

/// Whether the numbers of a stage range from 0 to 1. Weights after dropout may exceed 1, because dropout
/// scales up those that it keeps.
bool runs_to_one(const StageId& id) {
  return info(id.kind).is_share && id.kind != StageKind::dropped;
}

/// The options with the range that RangeMode::usual means for a stage.
PictureOptions with_range_of(const StageId& id, PictureOptions options) {
  if (options.range != RangeMode::usual) return options;
  options.range = runs_to_one(id) ? RangeMode::fixed : RangeMode::map;
  options.fixed_low = 0.0;
  options.fixed_high = 1.0;
  return options;
}

}  // namespace

std::vector<StageId> stages_sharing_range(const Trace& trace, const StageId& id, RangeMode range) {
  if (range == RangeMode::fixed || range == RangeMode::row) return {};
  if (range == RangeMode::usual && runs_to_one(id)) return {};
  std::vector<StageId> stages{id};
  if (range == RangeMode::all_heads && info(id.kind).scope == StageScope::head) {
    const Architecture& a = trace.architecture();
    StageId other = id;
    for (other.head = 0; other.head < a.n_heads; ++other.head) {
      if (canonical(a, other) != other) continue;
      if (other.head != id.head) stages.push_back(other);
    }
  }
  return stages;
}

ColorScale scale_of_stage(const Trace& trace, const StageId& id, const PictureOptions& picture) {
  const PictureOptions options = with_range_of(id, picture);
  const bool is_signed = info(id.kind).is_signed;
  double high = 0.0;
  for (const StageId& one : stages_sharing_range(trace, id, options.range)) {
    const StageStats stats = trace.stats(one).value_or(StageStats{});
    high = std::max(high, is_signed ? stats.visible_magnitude : stats.maximum);
  }
  return {options, is_signed, high, visible_magnitude_limit(trace, id)};
}

HeatmapSpec unscaled_heatmap(const Trace& trace, const StageId& id, const PictureOptions& options) {
  const StageInfo& stage = info(id.kind);
  HeatmapSpec spec;
  spec.source = stage_source(trace, id);
  const Extent size = spec.extent();
  spec.row_labels = axis_labels(trace, id, stage.rows, size.rows);
  spec.col_labels = axis_labels(trace, id, stage.cols, size.cols);
  const Architecture& a = trace.architecture();
  spec.row_axis = axis_title(axis_in(a, stage.rows), is_map(id.kind));
  spec.col_axis = axis_title(axis_in(a, stage.cols), is_map(id.kind));
  spec.title = stage_title(trace, id);
  spec.formula = formula(trace, id);
  if (options.details) spec.shape = shape_text(size);
  spec.random = is_random(trace, id.kind);
  spec.changed = changes_text(trace);
  spec.guess = guess_text(trace, id);
  spec.numbers = options.numbers;
  // In a map with few columns, every share is written in a form that shows whether it is exactly 0 or 1.
  constexpr int few = 4;
  const bool are_few_shares = stage.is_share && size.cols <= few;
  const bool is_sparse = !options.details && !are_few_shares;
  if (is_sparse && stage.is_share) spec.leaves_out_below = small_share;
  // The share of an expert that a token does not take is 0, and its cell stays empty.
  if (is_sparse && id.kind == StageKind::expert_shares)
    spec.leaves_out_below = std::numeric_limits<float>::min();
  return spec;
}

HeatmapSpec heatmap_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options) {
  HeatmapSpec spec = unscaled_heatmap(trace, id, options);
  spec.scale = scale_of_stage(trace, id, options);
  return spec;
}

void show_difference(NumberSourcePtr difference, HeatmapSpec& spec) {
  spec.source = std::move(difference);
  spec.differs = true;
  // A map without a title has no space for it.
  if (!spec.title.empty()) {
    spec.title += ": difference";
    spec.formula = difference_formula;
  }
  spec.color_bar_label = false;
}

void name_both(const Comparison& compared, HeatmapSpec& spec) {
  // Of longer texts, few labels are drawn.
  constexpr int most = 256;
  if (std::max(spec.row_labels.size(), spec.col_labels.size()) > most) return;
  const auto matched = counterparts(compared);
  if (!matched) return;
  const auto name = [&](AxisTexts& labels, Axis axis, const std::vector<int>& of_a) {
    if ((axis != Axis::query_tokens && axis != Axis::key_tokens) || labels.empty()) return;
    std::vector<std::string> both;
    for (int i = 0; i < labels.size(); ++i) {
      both.push_back(labels[i]);
      const int other = of_a[static_cast<std::size_t>(i)];
      if (other < 0) continue;
      const std::string in_a = compared.a.label(compared.stage_a, axis, other);
      if (in_a != both.back()) both.back() += "/" + in_a;
    }
    labels = std::move(both);
  };
  const StageInfo& stage = info(compared.stage_b.kind);
  name(spec.row_labels, stage.rows, matched->rows);
  name(spec.col_labels, stage.cols, matched->cols);
}

ColorScale scale_of_difference(const NumberSource& difference, const PictureOptions& picture,
                               double& difference_range) {
  difference_range = std::max(difference_range, difference.stats().value_or(StageStats{}).visible_magnitude);
  PictureOptions about_zero = picture;
  about_zero.range = RangeMode::fixed;
  about_zero.fixed_low = difference_range > 0.0 ? -difference_range : -1.0;
  about_zero.fixed_high = difference_range > 0.0 ? difference_range : 1.0;
  about_zero.transfer = Transfer::linear;
  constexpr bool is_signed = true;
  return {about_zero, is_signed, difference_range};
}

bool shows_hatch(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells) {
  if (!cells.has_infinite || !spec.cover.stage || layout.raster) return cells.has_infinite;
  for (int row = 0; row < layout.n_rows; ++row) {
    for (int col = 0; col < layout.n_cols; ++col) {
      const bool is_open = !spec.cover.covers(layout.first_row + row, layout.first_col + col);
      if (is_open && std::isinf(cells.numbers.at(row, col))) return true;
    }
  }
  return false;
}

namespace {

constexpr float note_size = 12.0F;

/// The note on the picture of a stage: whether its weights are random, what rows and columns are, and which
/// cells are hatched or pooled. May be empty.
std::string stage_note(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                       StageKind kind) {
  std::string note;
  const auto add = [&note](const std::string& sentence) { note += (note.empty() ? "" : " · ") + sentence; };
  if (spec.random) add("untrained: random weights");
  if (!spec.changed.empty()) add(spec.changed);
  if (!spec.guess.empty()) add(spec.guess);
  if (is_map(kind)) add("rows are queries, columns are keys");
  if (shows_hatch(spec, layout, cells)) {
    add(kind == StageKind::masked ? "hatched: −∞, hidden by the mask"
        : info(kind).is_share     ? "hatched: no weight, hidden by the mask"
                                  : "hatched: infinite");
  }
  if (cells.has_nan) add(spec.differs ? "hatched: nothing to compare with" : "hatched: NaN, not a number");
  if (layout.pooled) add("pooled: each pixel shows the largest magnitude of its cells");
  return note;
}

void mark(HeatmapSpec& spec, StageKind kind, const PageSpec& page) {
  const StageInfo& stage = info(kind);
  const auto is_token = [](Axis axis) { return axis == Axis::query_tokens || axis == Axis::key_tokens; };
  if (is_token(stage.rows)) spec.marked_row = page.marked_token;
  if (kind != page.pinned_stage || !page.pinned) return;
  spec.pinned = page.pinned;
  spec.marked_row = page.pinned->row;
  spec.marked_col = page.pinned->col;
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
  if (!trace.has(id) || trace.extent(id).empty())
    return failure("this pass has no stage " + path(id) + ": choose one that it has");
  if (page.width < 200.0F || page.height < 200.0F) return usage_error("a figure must be at least 200 × 200");
  HeatmapSpec spec = heatmap_of_stage(trace, id, page.picture);
  const std::string einsum = page.picture.details ? einsum_text(trace, id) : "";
  if (!einsum.empty()) spec.formula += "   " + einsum;
  return figure_of_heatmap(std::move(spec), id.kind, page, measure);
}

Figure figure_of_heatmap(HeatmapSpec spec, StageKind kind, const PageSpec& page, const MeasureText& measure) {
  const Theme& theme = theme_of(page.picture.theme);
  spec.max_cell = 56.0F;
  spec.font_size = 14.0F;
  spec.min_number = page.min_number;
  if (is_small_print(spec.min_number)) spec.font_size = 13.0F;
  const float margin = is_small_print(spec.min_number) ? small_margin : usual_margin;
  if (page.fills) {
    spec.max_cell = 112.0F;
    spec.max_cell_height = 72.0F;
  }
  spec.cover = page.cover;
  spec.color_bar = spec.color_bar && page.has_color_bar;
  if (!page.has_title) spec.drop_header();
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
    // The note wraps below a narrow map, so that it does not make the figure wider than the map needs.
    constexpr float least = 320.0F;
    room = std::min(page.width - margin - layout.cells.x,
                    std::max(layout.content.right() - layout.cells.x, least));
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
