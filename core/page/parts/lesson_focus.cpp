#include "core/page/parts/lesson_focus.h"

#include <optional>
#include <string>

namespace headscope {
namespace {

std::vector<Box> boxes_of_head(const Page& page, HeadIndex head, const Session& session) {
  std::vector<Box> boxes;
  for (const HitRegion& region : page.regions) {
    const auto* tile = std::get_if<HeadTile>(&region.meaning);
    const auto* area = std::get_if<HeadArea>(&region.meaning);
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
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells == nullptr || cells->stage != stage || !trace.has(stage)) continue;
    const auto row = focus.row.empty() ? std::nullopt : row_named(trace, stage, focus.row);
    const auto col = focus.column.empty() ? std::nullopt : column_named(trace, stage, focus.column);
    const bool is_missing = (!row && !focus.row.empty()) || (!col && !focus.column.empty());
    const auto box = is_missing ? std::nullopt : cells->grid.box_of_part(row, col);
    if (!box) continue;
    const bool is_largest = boxes.empty() || box->w * box->h > boxes.front().w * boxes.front().h;
    if (is_largest) boxes = {*box};
  }
  return boxes;
}

}  // namespace headscope
