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
    const auto index = [&](Axis axis, const std::string& word, int first, int n) {
      const auto found = word.empty() ? std::optional(first) : index_named(trace, stage, axis, word);
      return found && *found >= first && *found < first + n ? found : std::nullopt;
    };
    const auto row = index(info(stage.kind).rows, focus.row, grid.first_row, grid.n_rows);
    const auto col = index(info(stage.kind).cols, focus.column, grid.first_col, grid.n_cols);
    if (!row || !col) continue;
    Box box = grid.box_of(*row, *col);
    if (focus.row.empty()) box.h = grid.cells.h;
    if (focus.column.empty()) box.w = grid.cells.w;
    const bool is_largest = boxes.empty() || box.w * box.h > boxes.front().w * boxes.front().h;
    if (is_largest) boxes = {box};
  }
  return boxes;
}

}  // namespace headscope
