#include "app/parts/page_part.h"

#include <algorithm>

#include "app/parts/map_mouse.h"
#include "app/ui/figure_painter.h"

namespace headscope {
namespace {

/// A page made twice where a range of colours grew on the way, which its first maps did not know yet.
Page made(Frame& frame, PageFunction make, const PageSize& size) {
  PageTools tools = page_tools(frame);
  const auto ranges = frame.screen.memo.held_ranges;
  Page page = make(frame.screen.page_inputs, size, tools);
  return frame.screen.memo.held_ranges == ranges ? std::move(page)
                                                 : make(frame.screen.page_inputs, size, tools);
}

/// Where the map of a region was painted.
ImVec2 origin_of(const MapPanel& panel, const StageCells& cells, ImVec2 origin, float scale) {
  return {origin.x + (cells.grid.cells.x - panel.layout.cells.x) * scale,
          origin.y + (cells.grid.cells.y - panel.layout.cells.y) * scale};
}

void outline_cell(Frame& frame, const CellGrid& grid, CellIndex cell, ImVec2 origin) {
  const Box box = grid.box_of(cell.row, cell.col);
  Figure mark;
  mark.items.emplace_back(StrokedRect{box, frame.ui.theme().text, 1.5F, std::min(2.0F, 0.2F * box.w)});
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), mark, origin, frame.ui.scale());
}

}  // namespace

const PageInputs& page_inputs(Frame& frame) {
  PageInputs& kept = frame.screen.page_inputs;
  const auto take = [&frame](auto& mine, const auto& now) {
    if (mine == now) return;
    mine = now;
    ++frame.screen.page_version;
  };
  take(kept.session, frame.shown);
  take(kept.trace, frame.trace);
  take(kept.held, frame.held);
  take(kept.trace_model, frame.trace_model);
  take(kept.training, frame.training);
  take(frame.screen.page_ranges, frame.screen.memo.held_ranges);
  take(kept.n_positions, frame.screen.n_positions);
  take(kept.position_width, frame.screen.position_width);
  take(kept.parameter, frame.screen.train.parameter);
  if (kept.hovered != frame.screen.hovered || kept.hovered_token != frame.screen.hovered_token) {
    kept.hovered = frame.screen.hovered;
    kept.hovered_token = frame.screen.hovered_token;
    ++frame.screen.pointed_version;
  }
  return kept;
}

PageTools page_tools(Frame& frame) {
  return {frame.ui.measure(), frame.ui.fonts.generation(), frame.screen.memo, frame.carry_out};
}

PageAnswer page_part(Frame& frame, const char* slot, PageFunction make, ImVec2 room, Follows follows) {
  page_inputs(frame);
  const float scale = frame.ui.scale();
  PageCache& cache = frame.screen.pages[slot];
  const PageSize size{room.x / scale, room.y / scale};
  const std::size_t fonts = frame.ui.fonts.generation();
  const std::uint64_t pointed = follows == Follows::mouse ? frame.screen.pointed_version : 0;
  const bool is_same = cache.version == frame.screen.page_version && cache.pointed == pointed &&
                       cache.size == size && cache.fonts == fonts;
  if (!is_same) {
    cache.page = made(frame, make, size);
    cache.version = frame.screen.page_version;
    cache.pointed = pointed;
    cache.size = size;
    cache.fonts = fonts;
  }
  const Page& page = cache.page;
  PageAnswer answer;
  answer.origin = ImGui::GetCursorScreenPos();
  ImGui::PushID(slot);
  invisible_button("page", {page.figure.width * scale, page.figure.height * scale});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), page.figure, answer.origin, scale);
  answer.at = to_figure(ImGui::GetIO().MousePos, answer.origin, scale);
  answer.region = hovered ? page.region_at(answer.at) : nullptr;
  answer.clicked = answer.region != nullptr && ImGui::IsMouseClicked(0);
  for (const HitRegion& other : page.regions) {
    const auto* cells = std::get_if<StageCells>(&other.means);
    if (cells == nullptr) continue;
    MapPanel& panel = frame.screen.memo.maps[cells->slot];
    const ImVec2 corner = origin_of(panel, *cells, answer.origin, scale);
    if (&other == answer.region) answer_on_map(frame, panel, corner, answer.clicked, ImGui::IsMouseDown(0));
    paint_map_marks(frame, panel, corner);
  }
  if (const auto at = answer.table_cell())
    outline_cell(frame, std::get<TableCells>(answer.region->means).grid, *at, answer.origin);
  return answer;
}

std::optional<CellIndex> PageAnswer::table_cell() const {
  const auto* cells = region == nullptr ? nullptr : std::get_if<TableCells>(&region->means);
  return cells == nullptr ? std::nullopt : cells->grid.cell_at(at);
}

}  // namespace headscope
