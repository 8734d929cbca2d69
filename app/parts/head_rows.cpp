#include "app/parts/head_rows.h"

#include <algorithm>
#include <cmath>

#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/figure/column_groups.h"
#include "core/figure/pages.h"

namespace headscope {
namespace {

constexpr float name_size = 11.0F;
constexpr float cell_height = 22.0F;
constexpr float least_cell = 1.5F;
constexpr float beside_cells = 140.0F;  ///< about what labels and colour bar take

struct Kinds {
  StageKind query = StageKind::query;
  StageKind key = StageKind::key;
};

Kinds kinds_of(const Frame& frame) {
  const bool turned = frame.trace->has(selected_stage(frame, StageKind::rotated_query));
  return turned ? Kinds{StageKind::rotated_query, StageKind::rotated_key} : Kinds{};
}

StageId of_head(const Frame& frame, StageKind kind, int head) {
  StageId id = selected_stage(frame, kind);
  id.head = head;
  return id;
}

HeatmapSpec rows_of(const Frame& frame, const QueryAndKey& pair, OwnedMatrix& numbers) {
  const Kinds kinds = kinds_of(frame);
  const Architecture& a = frame.trace->architecture();
  const int width = a.head_width();
  numbers = OwnedMatrix(2, a.n_heads * width);
  for (int head = 0; head < a.n_heads; ++head) {
    const MatrixView queries = frame.trace->value(of_head(frame, kinds.query, head));
    const MatrixView keys = frame.trace->value(of_head(frame, kinds.key, head));
    std::ranges::copy(queries.row(pair.query), &numbers.at(0, head * width));
    std::ranges::copy(keys.row(pair.key), &numbers.at(1, head * width));
  }
  HeatmapSpec spec;
  spec.values = numbers.view();
  spec.row_labels = {std::string(info(kinds.query).symbol), std::string(info(kinds.key).symbol)};
  spec.col_labels.reserve(static_cast<std::size_t>(numbers.cols));
  for (int col = 0; col < numbers.cols; ++col) spec.col_labels.push_back(std::to_string(col));
  constexpr bool is_signed = true;
  spec.scale = ColorScale(frame.session.picture, is_signed, spec.values);
  spec.numbers = false;
  spec.color_bar_label = false;
  spec.font_size = 12.0F;
  return spec;
}

std::vector<ColumnGroup> groups_of(const Frame& frame) {
  const Architecture& a = frame.trace->architecture();
  std::vector<ColumnGroup> groups;
  groups.reserve(static_cast<std::size_t>(a.n_heads));
  for (int head = 0; head < a.n_heads; ++head) {
    groups.push_back({head * a.head_width(), a.head_width(), "head " + std::to_string(head),
                      head_color(frame.session.picture, head, a.n_heads),
                      head == frame.session.selection.head});
  }
  return groups;
}

/// As many as keep their cells wide enough to be seen, and equally many on every line.
int heads_in_line(const Architecture& a, float width) {
  const float head = static_cast<float>(a.head_width()) * least_cell;
  const int fitting = std::clamp(static_cast<int>((width - beside_cells) / head), 1, a.n_heads);
  const int n_lines = (a.n_heads + fitting - 1) / fitting;
  return (a.n_heads + n_lines - 1) / n_lines;
}

void answer(Frame& frame, const QueryAndKey& pair, const MatrixMapAnswer& mouse) {
  if (!mouse.cell) return;
  const int width = frame.trace->architecture().head_width();
  const Kinds kinds = kinds_of(frame);
  const bool is_query = mouse.cell->row == 0;
  const StageId stage = of_head(frame, is_query ? kinds.query : kinds.key, mouse.cell->col / width);
  const Pin cell{stage, is_query ? pair.query : pair.key, mouse.cell->col % width};
  tooltip(frame.ui, "Head " + std::to_string(stage.head) + ": " +
                        sentence_for(*frame.trace, stage, cell.row, cell.col));
  frame.screen.next_hovered = cell;
  if (!mouse.clicked) return;
  frame.emit(SelectHead{stage.head});
  frame.emit(PinCell{cell});
}

}  // namespace

void head_rows(Frame& frame, const QueryAndKey& pair) {
  const Architecture& a = frame.trace->architecture();
  const float width = ImGui::GetContentRegionAvail().x;
  const int in_line = heads_in_line(a, width / frame.ui.scale());
  const StageId place = selected_stage(frame, StageKind::query);
  MatrixMap map;
  map.name = path(place) + " " + std::to_string(pair.query) + " " + std::to_string(pair.key);
  map.trace = frame.trace;
  map.picture = frame.session.picture;
  map.max_cell = cell_height;
  map.above = column_groups_height(name_size);
  map.make = [&](OwnedMatrix& numbers) { return rows_of(frame, pair, numbers); };
  const auto groups = groups_of(frame);
  // Labels are shortened by the height of their area: it is more than the map takes.
  constexpr float height = 240.0F;
  for (int first = 0; first < a.n_heads; first += in_line) {
    const int n_heads = std::min(in_line, a.n_heads - first);
    map.window = {0, 2, first * a.head_width(), n_heads * a.head_width()};
    MatrixMapCache& cache = frame.screen.split.lines[first / in_line];
    const MatrixMapAnswer mouse = matrix_map(frame.ui, cache, map, {width, height * frame.ui.scale()});
    const Figure brackets =
        draw_column_groups(groups, cache.layout, name_size, frame.ui.theme(), frame.ui.measure());
    paint_figure(frame.ui, *ImGui::GetWindowDrawList(), brackets, mouse.origin, frame.ui.scale());
    answer(frame, pair, mouse);
  }
}

}  // namespace headscope
