#include "app/parts/position_picture.h"

#include <algorithm>

#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/figure/column_groups.h"

namespace headscope {
namespace {

constexpr float group_size = 11.0F;

bool reads_table(const PositionSource& source) {
  const Positions kind = source.architecture.positions;
  return kind == Positions::learned || kind == Positions::relative;
}

/// The same cell in the pass, where the pass has it.
std::optional<Pin> cell_of_pass(const Frame& frame, PositionPicture picture, const PositionSource& source,
                                CellIndex cell) {
  const Positions kind = source.architecture.positions;
  const StageId table{.kind = StageKind::positions_table};
  if (picture == PositionPicture::biases && kind == Positions::relative) {
    const int distance = cell.col - (source.n_positions - 1);
    const int clipped = std::clamp(distance, -max_relative_distance, max_relative_distance);
    return Pin{table, cell.row, clipped + max_relative_distance};
  }
  if (picture != PositionPicture::rows) return std::nullopt;
  if (kind == Positions::learned) return Pin{table, cell.row, cell.col};
  const StageId rows = selected_stage(frame, StageKind::positions);
  const bool same_size = source.width == source.architecture.d_model;
  if (!same_size || cell.row >= frame.trace->value(rows).rows) return std::nullopt;
  return Pin{rows, cell.row, cell.col};
}

void answer(Frame& frame, PositionPicture picture, const PositionSource& source, const MatrixMapCache& cache,
            const MatrixMapAnswer& mouse) {
  if (!mouse.cell) return;
  tooltip(frame.ui, position_sentence(picture, source, cache.numbers, *mouse.cell));
  const auto pin = cell_of_pass(frame, picture, source, *mouse.cell);
  if (!pin) return;
  frame.screen.next_hovered = pin;
  if (mouse.clicked) frame.emit(PinCell{*pin});
}

std::string name_of(const PositionSource& source) {
  const Architecture& a = source.architecture;
  std::string name = std::to_string(static_cast<int>(a.positions));
  for (const int size : {source.n_positions, source.width, a.head_width(), a.n_heads}) {
    name += " " + std::to_string(size);
  }
  return name;
}

}  // namespace

PositionSource shown_positions(const Frame& frame) {
  PositionSource source{frame.trace->architecture(), frame.trace->value({.kind = StageKind::positions_table}),
                        frame.screen.positions.n_positions, frame.screen.positions.width};
  if (source.architecture.biases_positions()) ++source.n_positions;
  if (source.architecture.positions == Positions::learned) {
    source.n_positions = std::min(source.n_positions, source.table.rows);
  }
  return source;
}

void position_picture(Frame& frame, PositionPicture picture, const PositionSource& source, ImVec2 size) {
  const PictureOptions& options = frame.session.picture;
  const bool by_position = picture != PositionPicture::biases;
  const bool is_square = picture == PositionPicture::products;
  const auto groups =
      picture == PositionPicture::rows ? position_groups(source, options) : std::vector<ColumnGroup>{};
  MatrixMap map{
      name_of(source), reads_table(source) ? frame.trace : nullptr, options, {}, {}, {}, {}, {}, {}};
  map.max_cell = 32.0F;
  map.above = groups.empty() ? 0.0F : column_groups_height(group_size);
  const auto& token = frame.session.selection.token;
  if (by_position && token && *token < source.n_positions) map.marked_row = token;
  if (is_square) map.marked_col = map.marked_row;
  map.make = [&](OwnedMatrix& numbers) { return position_map(picture, source, options, numbers); };
  MatrixMapCache& cache = frame.screen.positions.maps["picture " + std::to_string(static_cast<int>(picture))];
  const MatrixMapAnswer mouse = matrix_map(frame.ui, cache, map, size);
  if (!groups.empty()) {
    const Figure brackets =
        draw_column_groups(groups, cache.layout, group_size, frame.ui.theme(), frame.ui.measure());
    paint_figure(frame.ui, *ImGui::GetWindowDrawList(), brackets, mouse.origin, frame.ui.scale());
  }
  answer(frame, picture, source, cache, mouse);
}

}  // namespace headscope
