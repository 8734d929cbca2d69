#include "core/page/parts/map_marks.h"

#include "core/page/pages.h"

namespace headscope {

namespace {

constexpr float around_sources = 1.0F;

struct DerivationOfCell {
  std::shared_ptr<const Trace> trace;
  Pin cell;
  bool operator==(const DerivationOfCell&) const = default;

  using Answer = Explanation;
  Result<Explanation> answer() const { return explain(*trace, cell.stage, cell.row, cell.col); }
};

}  // namespace

std::optional<CellIndex> cell_of_map(const PageMemo& memo, const MapPanel& panel, const Pin& pin) {
  CellIndex cell{pin.row, pin.col};
  if (panel.key.look.compared < 0) {
    if (pin.stage != panel.key.stage) return std::nullopt;
  } else {
    const auto found = memo.comparison.find(panel.key.look.compared);
    if (found == memo.comparison.end() || found->second.stage != pin.stage) return std::nullopt;
    const Counterparts& cells = found->second.cells;
    const auto row = static_cast<std::size_t>(pin.row);
    const auto col = static_cast<std::size_t>(pin.col);
    if (row >= cells.rows.size() || col >= cells.cols.size()) return std::nullopt;
    cell = {cells.rows[row], cells.cols[col]};
  }
  const bool is_there =
      cell.row >= 0 && cell.col >= 0 && cell.row < panel.shown.rows && cell.col < panel.shown.cols;
  return is_there ? std::optional(cell) : std::nullopt;
}

const Explanation* derivation_of(const PageInputs& in, PageTools& tools, const Pin& cell) {
  if (!can_read(in, tools, cell.stage)) return nullptr;
  const auto& derived = tools.memo.results.now(DerivationOfCell{in.trace, cell});
  return derived ? &*derived : nullptr;
}

Figure source_marks(const Explanation& explanation, const MapPanel& panel, const Theme& theme) {
  Figure marks;
  for (const Explanation::Source& source : explanation.sources) {
    if (source.stage != panel.key.stage) continue;
    const auto box = panel.layout.box_of_part(source.row, source.col);
    if (!box) continue;
    constexpr float both = 2.0F * around_sources;
    add_frame(marks, {box->x - around_sources, box->y - around_sources, box->w + both, box->h + both},
              theme.accent, 2.0F, 2.0F);
  }
  return marks;
}

Figure cell_marks(const std::optional<CellIndex>& pinned, const std::optional<CellIndex>& hovered,
                  const MapPanel& panel, const Theme& theme) {
  HeatmapSpec spec;
  spec.pinned = pinned;
  spec.hovered = hovered;
  Figure marks;
  draw_heatmap_marks(spec, panel.layout, theme, marks);
  return marks;
}

Point corner_of(const StageCells& cells, const MapPanel& panel) {
  return {cells.grid.cells.x - panel.layout.cells.x, cells.grid.cells.y - panel.layout.cells.y};
}

void append_marks(Page& page, const PageInputs& in, PageTools& tools) {
  const auto& pin = in.session.selection.pin;
  if (!pin) return;
  const Theme& theme = theme_of(in.session.picture.theme);
  const bool is_known = inspected(*in.trace, pin, std::nullopt).has_value();
  const Explanation* explanation = is_known ? derivation_of(in, tools, *pin) : nullptr;
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells == nullptr) continue;
    const MapPanel& panel = tools.memo.maps[cells->slot];
    const Point corner = corner_of(*cells, panel);
    if (explanation != nullptr && panel.key.look.compared < 0)
      append(page.figure, source_marks(*explanation, panel, theme), corner.x, corner.y);
    append(page.figure, cell_marks(cell_of_map(tools.memo, panel, *pin), std::nullopt, panel, theme),
           corner.x, corner.y);
  }
}

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
