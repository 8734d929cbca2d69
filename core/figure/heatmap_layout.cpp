#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/exact_text.h"
#include "core/figure/heatmap.h"
#include "core/figure/heatmap_metrics.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

using namespace heatmap_metrics;

constexpr float gap_between_labels = 6.0F;
constexpr float max_word_step = 10.0F;
/// The distance between upright labels as a share of the line height, a part of which no letter reaches.
constexpr float upright_line = 0.88F;

/// A marked label is drawn in bold. All labels get the space for bold text, so that the map does not change
/// when another is marked.
constexpr Font widest_font = Font::sans_bold;

/// Up to this number of labels, all are measured.
constexpr int max_measured = 64;

/// Which labels are drawn if not all fit. Numbers are drawn at multiples of the step, words at distances of
/// the step from the marked one.
enum class Thinning { numbers, words };

/// Chooses every `step`-th label. The marked label replaces those that it would touch.
ChosenLabels every(const AxisLabelRequest& source, int step, Thinning thinning, const MeasureText& measure) {
  ChosenLabels result;
  const int origin = thinning == Thinning::words && source.marked ? *source.marked % step : 0;
  const int last = std::min(source.first + source.count, source.texts.size());
  // The marked label determines which words are chosen, but it must not change the space that they take.
  const bool needs_room = thinning == Thinning::words && source.count <= max_measured;
  const auto after = [&](int i) {
    const int next = needs_room ? i + 1 : i + step - ((i - origin) % step + step) % step;
    return source.marked && *source.marked > i ? std::min(next, *source.marked) : next;
  };
  for (int i = after(source.first - 1); i < last; i = after(i)) {
    const bool is_marked = source.marked == i;
    const bool near_marked = source.marked && !is_marked && std::abs(i - *source.marked) < step;
    const bool is_chosen = is_marked || (i % step == origin && !near_marked);
    if (!is_chosen && !needs_room) continue;
    AxisLabel label{i, elided_text(source.texts[i], source.max_width, widest_font, source.size, measure)};
    if (label.text.empty()) continue;
    result.widest = std::max(result.widest, measure(label.text, widest_font, source.size).width);
    if (is_chosen) result.labels.push_back(std::move(label));
  }
  return result;
}

/// The widest of a sample of labels. This distinguishes numbers from words without measuring thousands of
/// labels.
float widest_of_sample(const AxisLabelRequest& source, const MeasureText& measure) {
  constexpr int sample_size = 64;
  return every(source, std::max(1, source.count / sample_size), Thinning::numbers, measure).widest;
}

/// Chooses only the marked label, if not even every tenth word fits. The space does not depend on which label
/// is marked.
ChosenLabels marked_alone(const AxisLabelRequest& source, const MeasureText& measure) {
  ChosenLabels result;
  result.widest = widest_of_sample(source, measure);
  if (!source.marked || *source.marked < source.first || *source.marked >= source.first + source.count)
    return result;
  AxisLabel label{*source.marked, elided_text(source.texts[*source.marked], source.max_width, widest_font,
                                              source.size, measure)};
  result.widest = std::max(result.widest, measure(label.text, widest_font, source.size).width);
  if (!label.text.empty()) result.labels.push_back(std::move(label));
  return result;
}

bool is_short(float width, float size) {
  return width <= 2.6F * size;
}

std::optional<int> whole_number(std::string text) {
  constexpr std::string_view minus = "−";
  if (text.starts_with(minus)) text.replace(0, minus.size(), "-");
  return parse_exact<int>(text);
}

/// Whether the first labels are numbers that count up by 1. Only then can the labels left out be inferred.
bool count_up(const AxisLabelRequest& source) {
  const int last = std::min({source.first + source.count, source.texts.size(), source.first + max_measured});
  for (int i = source.first + 1; i < last; ++i) {
    const auto before = whole_number(source.texts[i - 1]);
    const auto number = whole_number(source.texts[i]);
    if (!before || !number || *number != *before + 1) return false;
  }
  return true;
}

}  // namespace

int round_step(float step) {
  int decade = 1;
  while (true) {
    for (const int factor : {1, 2, 5}) {
      if (static_cast<float>(factor * decade) >= step) return factor * decade;
    }
    if (decade > 100'000'000) return decade;
    decade *= 10;
  }
}

ChosenLabels choose_row_labels(const AxisLabelRequest& source, const MeasureText& measure) {
  if (source.texts.empty() || source.count == 0 || source.cell <= 0.0F) return {};
  const float line = measure("X", Font::sans, source.size).height;
  const float step = line / source.cell;
  if (step <= 1.0F) return every(source, 1, Thinning::words, measure);
  if (is_short(widest_of_sample(source, measure), source.size)) {
    return every(source, round_step(step), Thinning::numbers, measure);
  }
  if (step > max_word_step) return marked_alone(source, measure);
  ChosenLabels words = every(source, static_cast<int>(std::ceil(step)), Thinning::words, measure);
  words.widest = std::max(words.widest, widest_of_sample(source, measure));
  return words;
}

ChosenLabels choose_col_labels(const AxisLabelRequest& source, std::optional<LabelTurn> only,
                               const MeasureText& measure) {
  if (source.texts.empty() || source.count == 0 || source.cell <= 0.0F) return {};
  const float sampled = widest_of_sample(source, measure);
  const int flat_step = round_step((sampled + gap_between_labels) / source.cell);
  const bool may_turn = only != LabelTurn::flat;
  if (flat_step == 1 || (is_short(sampled, source.size) && (!may_turn || count_up(source)))) {
    // The sample may miss the widest label, which is then shortened to fit.
    AxisLabelRequest flat = source;
    const float place = static_cast<float>(flat_step) * source.cell - gap_between_labels;
    flat.max_width = std::min(source.max_width, std::max(sampled, place));
    return every(flat, flat_step, Thinning::numbers, measure);
  }
  if (!may_turn) return {};
  const float line = measure("X", Font::sans, source.size).height;
  const float step_slanted = line / (source.cell * sin_45);
  const bool is_upright = only ? *only == LabelTurn::upright : step_slanted > 1.0F;
  const float step = is_upright ? upright_line * line / source.cell : step_slanted;
  ChosenLabels result = step > max_word_step
                            ? marked_alone(source, measure)
                            : every(source, static_cast<int>(std::ceil(step)), Thinning::words, measure);
  result.turn = is_upright ? LabelTurn::upright : LabelTurn::slanted;
  return result;
}

namespace {

struct Margins {
  float left = 0.0F, top = 0.0F, right = 0.0F, bottom = 0.0F;
};

/// Rounds the size of cells down to whole units if they are at least 4 units large, so that their edges are
/// sharp.
float snapped(float size) {
  return size >= 4.0F ? std::floor(size) : size;
}

/// Sets the size of the cells, which are square if the matrix is. Otherwise, one side is at most twice the
/// other, unless the map would become too thin or its rows too low for their labels.
void fit_cells(const HeatmapSpec& spec, float width, float height, HeatmapLayout& layout) {
  constexpr float max_aspect = 2.0F;
  const float min_share = spec.thin_share;
  const float max_cell = spec.max_cell;
  const auto rows = static_cast<float>(layout.n_rows);
  const auto cols = static_cast<float>(layout.n_cols);
  const bool has_height = spec.max_cell_height > 0.0F;
  const float room_width = std::min(width / cols, max_cell);
  const float room_height = std::min(height / rows, has_height ? spec.max_cell_height : max_cell);
  float cell_width = room_width, cell_height = room_height;
  if (!has_height && layout.n_rows == layout.n_cols) {
    cell_width = cell_height = std::min(room_width, room_height);
  } else if (!has_height) {
    const float thin_width = std::min(min_share * height / cols, room_width);
    const float thin_height = std::min(min_share * width / rows, room_height);
    constexpr float labelled_row = 13.0F;  // A line of the smallest labels.
    const float labelled = spec.row_labels.empty() ? 0.0F : std::min(labelled_row, room_height);
    cell_width = std::max(std::min(room_width, max_aspect * room_height), thin_width);
    cell_height = std::max({std::min(room_height, max_aspect * room_width), thin_height, labelled});
  }
  layout.cell_width = snapped(cell_width);
  layout.cell_height = snapped(cell_height);
}

void set_window(const HeatmapSpec& spec, HeatmapLayout& layout) {
  const auto clamp_range = [](int first, int count, int size, int& out_first, int& out_count) {
    out_first = std::clamp(first, 0, std::max(0, size - 1));
    const int rest = size - out_first;
    out_count = count <= 0 ? rest : std::min(count, rest);
  };
  clamp_range(spec.window.first_row, spec.window.n_rows, spec.extent().rows, layout.first_row, layout.n_rows);
  clamp_range(spec.window.first_col, spec.window.n_cols, spec.extent().cols, layout.first_col, layout.n_cols);
}

float bar_room(const HeatmapSpec& spec, const MeasureText& measure) {
  if (!spec.color_bar) return 0.0F;
  const float size = tick_size(spec.font_size);
  // The ticks of signed numbers are of different lengths from head to head, and the cells must not change
  // with them.
  const float widest =
      std::max(spec.scale.is_signed() ? measure("−0.00", Font::mono, size).width : 0.0F,
               widest_text(spec.scale.ticks(), Font::mono, size, measure, &ColorScale::Tick::text));
  const bool has_label = spec.color_bar_label && !is_small_print(spec.min_number);
  const float label = has_label ? bar_label_distance + measure("X", Font::sans, size).height : 0.0F;
  return bar_distance + bar_width + tick_distance + widest + label;
}

/// The widths beyond which labels are shortened, and how column labels are turned if that is settled.
struct LabelLimits {
  float row = 0.0F, col = 0.0F;
  std::optional<LabelTurn> turn = {};
};

/// Chooses the labels of both axes for the current cells. The space that they take is the limit of a later
/// choice.
LabelLimits choose_labels(const HeatmapSpec& spec, const MeasureText& measure, const LabelLimits& limits,
                          HeatmapLayout& layout) {
  const float size = layout.label_size;
  ChosenLabels rows = choose_row_labels({spec.row_labels, layout.first_row, layout.n_rows, layout.cell_height,
                                         size, limits.row, spec.marked_row},
                                        measure);
  ChosenLabels cols = choose_col_labels({spec.col_labels, layout.first_col, layout.n_cols, layout.cell_width,
                                         size, limits.col, spec.marked_col},
                                        limits.turn, measure);
  layout.row_label_width = rows.widest;
  layout.row_labels = std::move(rows.labels);
  layout.turn = cols.turn;
  const float line = measure("X", Font::sans, size).height;
  layout.col_label_height = 0.0F;
  if (cols.widest > 0.0F) {
    layout.col_label_height = cols.turn == LabelTurn::slanted ? (cols.widest + line) * sin_45 + label_distance
                              : cols.turn == LabelTurn::upright ? cols.widest + label_distance
                                                                : line + 4.0F;
  }
  layout.col_labels = std::move(cols.labels);
  return {rows.widest, cols.widest, cols.turn};
}

/// How far turned labels extend to the right of the cells.
float overhang(const HeatmapLayout& layout, const MeasureText& measure) {
  float result = 0.0F;
  const float line = measure("X", Font::sans, layout.label_size).height;
  for (const AxisLabel& label : layout.col_labels) {
    // The width of a marked label, so that the map does not change when a label is marked.
    const float width = measure(label.text, Font::sans_bold, layout.label_size).width;
    const float from_right =
        (static_cast<float>(layout.first_col + layout.n_cols - label.index) - 0.5F) * layout.cell_width;
    const float reach = layout.turn == LabelTurn::slanted   ? (width + 0.5F * line) * sin_45
                        : layout.turn == LabelTurn::upright ? 0.5F * line
                                                            : 0.5F * width;
    result = std::max(result, reach - from_right);
  }
  return result;
}

Margins margins_of(const HeatmapSpec& spec, const HeatmapLayout& layout, const MeasureText& measure) {
  Margins margins;
  const float axis_line = axis_title_room(spec.font_size);
  if (!spec.row_axis.empty()) margins.left += axis_line;
  if (layout.row_label_width > 0.0F) margins.left += layout.row_label_width + label_distance;
  margins.top = header_height(spec, measure) + layout.col_label_height;
  margins.right = std::max(bar_room(spec, measure), overhang(layout, measure));
  if (!spec.col_axis.empty()) margins.bottom = axis_line;
  return margins;
}

void place_cells(const HeatmapSpec& spec, const Margins& margins, HeatmapLayout& layout) {
  const Box& area = layout.area;
  const float width = std::max(1.0F, area.w - margins.left - margins.right);
  const float height = std::max(1.0F, area.h - margins.top - margins.bottom);
  fit_cells(spec, width, height, layout);
  layout.cells = {std::ceil(area.x + margins.left), std::ceil(area.y + margins.top),
                  layout.cell_width * static_cast<float>(layout.n_cols),
                  layout.cell_height * static_cast<float>(layout.n_rows)};
}

Box place_bar(const HeatmapSpec& spec, const HeatmapLayout& layout, float bottom) {
  if (!spec.color_bar) return {};
  const float height = std::max(layout.cells.h - layout.gap, min_bar_height);
  return {layout.cells.right() + bar_distance, layout.cells.y, bar_width,
          std::max(8.0F, std::min(height, bottom - layout.cells.y))};
}

}  // namespace

HeatmapLayout layout_heatmap(const HeatmapSpec& spec, Box area, const MeasureText& measure) {
  HeatmapLayout layout;
  layout.area = area;
  set_window(spec, layout);
  if (spec.extent().empty()) return layout;
  place_cells(spec, {0.0F, header_height(spec, measure), bar_room(spec, measure), 0.0F}, layout);
  // The labels depend on the size of the cells, which in turn depends on the room that the labels leave.
  // Height that the cells could not use anyway is free for the labels.
  const float free = area.bottom() - layout.cells.bottom() - axis_title_room(spec.font_size) - label_distance;
  const float share = 0.3F * std::min(area.w, area.h);
  LabelLimits limits{std::min(140.0F, 0.25F * area.w), std::min(120.0F, std::max(share, free))};
  LabelLimits taken;
  Margins margins;
  for (int pass = 0; pass < 3; ++pass) {
    layout.label_size = std::clamp(std::floor(layout.cell_height * 0.8F),
                                   std::min(min_label_size, spec.font_size), spec.font_size);
    taken = choose_labels(spec, measure, limits, layout);
    // Upright labels leave more height, which could make the choice alternate.
    if (taken.turn == LabelTurn::upright) limits.turn = LabelTurn::upright;
    margins = margins_of(spec, layout, measure);
    place_cells(spec, margins, layout);
  }
  // The size of the cells is now final, so the labels are chosen once more for the space that is reserved for
  // them.
  const float label_height = layout.col_label_height;
  // Another choice of labels may be a little wider than the last one.
  constexpr float slack = 2.0F;
  if (taken.turn == LabelTurn::flat) taken.col += slack;
  taken.row += slack;
  choose_labels(spec, measure, taken, layout);
  layout.row_label_width = taken.row - slack;
  layout.col_label_height = label_height;

  const float smaller = std::min(layout.cell_width, layout.cell_height);
  layout.raster = smaller < min_separate_cell;
  layout.pooled = smaller < 1.0F;
  layout.gap = layout.raster ? 0.0F : (smaller >= 24.0F ? 2.0F : 1.0F);
  layout.color_bar = place_bar(spec, layout, area.bottom() - margins.bottom);
  const float right = std::max(layout.cells.right() + margins.right,
                               std::min(area.right(), layout.cells.x + header_width(spec, measure)));
  layout.beside_cells = margins.left + margins.right;
  layout.content = {area.x, area.y, right - area.x,
                    std::max(layout.cells.bottom(), layout.color_bar.bottom()) + margins.bottom - area.y};
  return layout;
}

std::optional<CellIndex> CellGrid::cell_at(Point point) const {
  if (!cells.contains(point) || cell_width <= 0.0F || cell_height <= 0.0F) return std::nullopt;
  const int row = static_cast<int>((point.y - cells.y) / cell_height);
  const int col = static_cast<int>((point.x - cells.x) / cell_width);
  return CellIndex{first_row + std::min(row, n_rows - 1), first_col + std::min(col, n_cols - 1)};
}

std::optional<int> CellGrid::row_at(float y) const {
  const auto cell = cell_at({cells.x, y});
  return cell ? std::optional(cell->row) : std::nullopt;
}

Box CellGrid::box_of(int row, int col) const {
  return {cells.x + static_cast<float>(col - first_col) * cell_width,
          cells.y + static_cast<float>(row - first_row) * cell_height, cell_width - gap, cell_height - gap};
}

std::optional<Box> CellGrid::box_of_part(std::optional<int> row, std::optional<int> col) const {
  const bool is_visible = (!row || (*row >= first_row && *row < first_row + n_rows)) &&
                          (!col || (*col >= first_col && *col < first_col + n_cols));
  if (!is_visible) return std::nullopt;
  Box box = box_of(row.value_or(first_row), col.value_or(first_col));
  if (!row) box.h = cells.h - gap;
  if (!col) box.w = cells.w - gap;
  return box;
}

}  // namespace headscope
