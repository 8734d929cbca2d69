#include "core/page/parts/lesson_focus.h"

#include <optional>
#include <string>

namespace headscope {
namespace {

std::vector<Box> boxes_of_head(const Page& page, HeadPlace head, const Session& session) {
  std::vector<Box> boxes;
  for (const HitRegion& region : page.regions) {
    const auto* tile = std::get_if<HeadTile>(&region.means);
    const auto* area = std::get_if<HeadArea>(&region.means);
    const bool is_in_layer = session.selection.layer == head.layer;
    if ((tile != nullptr && tile->place == head) ||
        (area != nullptr && is_in_layer && area->head == head.head))
      boxes.push_back(region.box);
  }
  return boxes;
}

}  // namespace

std::vector<Box> focused_boxes(const Page& page, const LessonFocus& focus, const Session& session,
                               const Trace& trace) {
  if (focus.kind == LessonFocus::Kind::control) return {};
  if (focus.kind == LessonFocus::Kind::head) return boxes_of_head(page, focus.head, session);
  std::vector<Box> boxes;
  const StageId stage = canonical(session.architecture, focus.stage.in(session));
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.means);
    if (cells == nullptr || cells->stage != stage || !trace.has(stage)) continue;
    const CellGrid& grid = cells->grid;
    const auto row = focus.row.empty() ? grid.first_row : row_named(trace, stage, focus.row);
    const auto col = focus.column.empty() ? grid.first_col : column_named(trace, stage, focus.column);
    const auto is_visible = [](const std::optional<int>& place, int first, int n) {
      return place && *place >= first && *place < first + n;
    };
    if (!is_visible(row, grid.first_row, grid.n_rows) || !is_visible(col, grid.first_col, grid.n_cols))
      continue;
    Box box = grid.box_of(*row, *col);
    if (focus.row.empty()) box.h = grid.cells.h - grid.gap;
    if (focus.column.empty()) box.w = grid.cells.w - grid.gap;
    const bool is_largest = boxes.empty() || box.w * box.h > boxes.front().w * boxes.front().h;
    if (is_largest) boxes = {box};
  }
  return boxes;
}

}  // namespace headscope
