#include "app/parts/page_part.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/parts/map_mouse.h"
#include "app/parts/number_editor.h"
#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/page/parts/lesson_focus.h"
#include "core/page/parts/map_marks.h"
#include "core/palette/glossary.h"

namespace headscope {
namespace {

/// Makes a page. It is made twice if a colour range grew in the process, because the first maps were drawn
/// with the old range.
Page made(Frame& frame, PageName name, const PageSize& size) {
  PageTools tools = page_tools(frame);
  const auto ranges = frame.screen.memo.held_ranges;
  Page page = page_of(frame.screen.page_inputs, name, size, tools);
  return frame.screen.memo.held_ranges == ranges ? std::move(page)
                                                 : page_of(frame.screen.page_inputs, name, size, tools);
}

void outline_cell(Frame& frame, const CellGrid& grid, CellIndex cell, ImVec2 origin) {
  const Box box = grid.box_of(cell.row, cell.col);
  Figure mark;
  mark.items.emplace_back(StrokedRect{box, frame.ui.theme().text, 1.5F, std::min(2.0F, 0.2F * box.w)});
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), mark, origin, frame.ui.page_scale());
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
  take(kept.before_edit, frame.before_edit);
  take(kept.trace_model, frame.trace_model);
  take(kept.training, frame.training);
  take(frame.screen.page_ranges, frame.screen.memo.held_ranges);
  if (kept.step_share != frame.screen.step_share) {
    kept.step_share = frame.screen.step_share;
    ++frame.screen.step_version;
  }
  take(kept.n_positions, frame.screen.n_positions);
  take(kept.position_width, frame.screen.position_width);
  take(kept.parameter, frame.screen.trained_parameter);
  take(kept.own_lessons, frame.screen.scenes.own_lessons);
  take(kept.lesson_progress, frame.screen.scenes.lesson_progress);
  take(kept.strip_row, frame.screen.strip_row);
  take(kept.is_slide, frame.screen.presents);
  take(kept.for_link, width_of_edit_link(frame));
  const auto* question = frame.lesson == nullptr ? nullptr : &frame.lesson->walk.at().question;
  take(kept.is_asked, frame.lesson != nullptr && frame.lesson->walk.is_open(frame.lesson->walk.step));
  take(kept.asks_for_head, question != nullptr && *question && asks_for_head((*question)->expect));
  if (kept.hovered_token != frame.screen.hovered_token) {
    kept.hovered_token = frame.screen.hovered_token;
    ++frame.screen.token_version;
    ++frame.screen.pointed_version;
  }
  if (kept.hovered_line != frame.screen.hovered_line) {
    kept.hovered_line = frame.screen.hovered_line;
    ++frame.screen.token_version;
  }
  if (kept.hovered != frame.screen.hovered) {
    kept.hovered = frame.screen.hovered;
    ++frame.screen.pointed_version;
  }
  return kept;
}

PageTools page_tools(Frame& frame) {
  return {frame.ui.page_measure(), frame.ui.page_fonts(), frame.screen.memo, frame.carry_out};
}

namespace {

std::uint64_t version_of(const ScreenState& screen, Follows follows) {
  switch (follows) {
    case Follows::token:
      return screen.token_version;
    case Follows::mouse:
      return screen.pointed_version;
    case Follows::step:
      return screen.step_version;
    case Follows::selection:
      break;
  }
  return 0;
}

const Page& kept_page(Frame& frame, PageName name, const PageSize& size, Follows follows) {
  page_inputs(frame);
  PageCache& cache = frame.screen.pages[name];
  const std::size_t fonts = frame.ui.page_fonts();
  const std::uint64_t pointed = version_of(frame.screen, follows);
  const bool is_same = cache.version == frame.screen.page_version && cache.pointed == pointed &&
                       cache.size == size && cache.fonts == fonts;
  if (!is_same) {
    cache.page = made(frame, name, size);
    cache.version = frame.screen.page_version;
    cache.pointed = pointed;
    cache.size = size;
    cache.fonts = fonts;
  }
  return cache.page;
}

void answer_on_maps(Frame& frame, const PageAnswer& answer) {
  const float scale = frame.ui.page_scale();
  for (const HitRegion& region : answer.page->regions) {
    const auto* cells = std::get_if<StageCells>(&region.means);
    if (cells == nullptr) continue;
    MapPanel& panel = frame.screen.memo.maps[cells->slot];
    const Point on_page = corner_of(*cells, panel);
    const ImVec2 corner{answer.origin.x + on_page.x * scale, answer.origin.y + on_page.y * scale};
    if (&region == answer.region) answer_on_map(frame, panel, corner, answer.clicked, ImGui::IsMouseDown(0));
    paint_map_marks(frame, panel, corner);
  }
}

/// A click on the label of a row selects its token.
void answer_on_labels(Frame& frame, const PageAnswer& answer) {
  const auto* labels = answer.on<RowLabels>();
  if (labels == nullptr || !answer.clicked || frame.screen.marks_cells()) return;
  if (const auto row = labels->grid.row_at(answer.at.y)) frame.emit(SelectToken{*row});
}

/// The heading of a scrolled page at the top of its window, where it stays in sight.
struct KeptHeading {
  ImVec2 min, max;   ///< On the screen.
  float top = 0.0F;  ///< Of the heading on the page.
};

/// The heading to keep in sight. Empty if the page has none, or if it is visible anyway.
std::optional<KeptHeading> kept_heading(const Frame& frame, const PageAnswer& answer) {
  const auto found = std::ranges::find_if(answer.page->regions, [](const HitRegion& region) {
    return std::holds_alternative<HeadingArea>(region.means);
  });
  if (found == answer.page->regions.end()) return std::nullopt;
  const float scale = frame.ui.page_scale();
  const ImVec2 min{answer.origin.x + found->box.x * scale, ImGui::GetWindowPos().y};
  if (min.y <= answer.origin.y + found->box.y * scale) return std::nullopt;
  return KeptHeading{min, {min.x + found->box.w * scale, min.y + found->box.h * scale}, found->box.y};
}

/// Paints the page. What has been scrolled under the heading that stays in place is not drawn.
void paint_page(Frame& frame, const PageAnswer& answer, const std::optional<KeptHeading>& heading) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Figure& figure = answer.page->figure;
  const float scale = frame.ui.page_scale();
  if (!heading) return paint_figure(frame.ui, list, figure, answer.origin, scale);
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const auto paint_within = [&](ImVec2 min, ImVec2 max) {
    list.PushClipRect(min, max, true);
    paint_figure(frame.ui, list, figure, answer.origin, scale);
    list.PopClipRect();
  };
  paint_within({heading->min.x, heading->max.y}, {window.x + size.x, window.y + size.y});
  if (heading->min.x > window.x) paint_within(window, {heading->min.x, window.y + size.y});
  list.PushClipRect(heading->min, heading->max, true);
  paint_figure(frame.ui, list, figure, {answer.origin.x, heading->min.y - heading->top * scale}, scale);
  list.PopClipRect();
}

/// The term of the glossary that the mouse is on, in the page's own texts. Null if there is none.
const Term* pointed_term(const PageAnswer& answer, const MeasureText& measure) {
  for (const Item& item : answer.page->figure.items) {
    const auto* label = std::get_if<Label>(&item);
    const bool is_near = label != nullptr && label->degrees == 0.0F &&
                         std::abs(answer.at.y - label->at.y) <= 2.0F * label->size;
    if (!is_near) continue;
    const std::string_view text = label->text;
    const TextSize size = measure(text, label->font, label->size);
    const float left = label->at.x - size.width * (label->horizontal == HorizontalAnchor::left    ? 0.0F
                                                   : label->horizontal == HorizontalAnchor::right ? 1.0F
                                                                                                  : 0.5F);
    const float top = label->at.y - size.height * (label->vertical == VerticalAnchor::top      ? 0.0F
                                                   : label->vertical == VerticalAnchor::bottom ? 1.0F
                                                                                               : 0.5F);
    if (!Box{left, top, size.width, size.height}.contains(answer.at)) continue;
    std::size_t begin = 0;  // of the word that the mouse is on
    for (std::size_t end = text.find(' '); end != std::string_view::npos; end = text.find(' ', end + 1)) {
      if (measure(text.substr(0, end), label->font, label->size).width >= answer.at.x - left) break;
      begin = end + 1;
    }
    if (const Term* const term = term_at(text, begin)) return term;
  }
  return nullptr;
}

/// The box that the mouse is on: a cell, the label of a row, or a part of the page that is not a map.
std::optional<Box> pointed_box(const PageAnswer& answer) {
  if (answer.region == nullptr || std::holds_alternative<SentenceArea>(answer.region->means))
    return std::nullopt;
  const CellGrid* grid = nullptr;
  if (const auto* cells = answer.on<StageCells>()) grid = &cells->grid;
  if (const auto* cells = answer.on<TableCells>()) grid = &cells->grid;
  if (const auto* labels = answer.on<RowLabels>()) {
    const auto row = labels->grid.row_at(answer.at.y);
    if (!row) return std::nullopt;
    const Box cells = labels->grid.box_of(*row, labels->grid.first_col);
    return Box{answer.region->box.x, cells.y, answer.region->box.w, cells.h};
  }
  if (grid == nullptr) return answer.region->box;
  const auto cell = grid->cell_at(answer.at);
  return cell ? std::optional(grid->box_of(cell->row, cell->col)) : std::nullopt;
}

/// Draws a ring around what the mouse is on, visible from the last row of a lecture hall.
void ring(Frame& frame, const PageAnswer& answer) {
  const auto box = pointed_box(answer);
  if (!box) return;
  const float scale = frame.ui.page_scale();
  // A line in a list touches the lines above and below. Its ring stays on their edge so that it hides
  // neither.
  constexpr float usual_least = 56.0F;
  constexpr float around = 8.0F;
  const bool is_line = box->w > 4.0F * box->h && box->h < usual_least;
  const float least = is_line ? 0.0F : usual_least;
  const float above = is_line ? 0.0F : around;
  const float thickness = is_line ? 3.0F : 5.0F;
  const float half_width = 0.5F * std::max(box->w + 2.0F * around, least) * scale;
  const float half_height = 0.5F * std::max(box->h + 2.0F * above, least) * scale;
  const ImVec2 middle{answer.origin.x + (box->x + 0.5F * box->w) * scale,
                      answer.origin.y + (box->y + 0.5F * box->h) * scale};
  const ImVec2 min{middle.x - half_width, middle.y - half_height};
  const ImVec2 max{middle.x + half_width, middle.y + half_height};
  const float rounding = is_line ? 6.0F * scale : std::min(half_width, half_height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(min, max, packed(frame.ui.theme().panel), rounding, 0, (thickness + 4.0F) * scale);
  list.AddRect(min, max, packed(frame.ui.theme().accent), rounding, 0, thickness * scale);
}

/// Points at what a step of a lesson is about: a ring that closes in on it when the step begins, and stays.
void point_at_focus(Frame& frame, const PageAnswer& answer) {
  if (frame.lesson == nullptr || !frame.trace) return;
  constexpr double seconds = 0.9;
  const double age = ImGui::GetTime() - frame.screen.lesson.begun;
  const bool moves = age < seconds && !frame.screen.reduces_motion && !frame.ui.is_still();
  const float scale = frame.ui.page_scale();
  const float apart = (3.0F + (moves ? 22.0F * static_cast<float>(1.0 - age / seconds) : 0.0F)) * scale;
  for (const LessonFocus& focus : frame.lesson->walk.at().focus) {
    for (const Box& box : focused_boxes(*answer.page, focus, frame.session, *frame.trace)) {
      const ImVec2 min{answer.origin.x + box.x * scale - apart, answer.origin.y + box.y * scale - apart};
      const ImVec2 max{min.x + box.w * scale + 2.0F * apart, min.y + box.h * scale + 2.0F * apart};
      ImGui::GetWindowDrawList()->AddRect(min, max, packed(frame.ui.theme().accent), 4.0F * scale, 0,
                                          2.5F * scale);
    }
  }
  if (moves) frame.ui.wake_in(0.0);
}

/// Makes the picture of an earlier pass pale if the current session cannot be computed, so that its numbers
/// are not mistaken for the answer.
void veil_earlier_picture(Frame& frame) {
  if (frame.error.empty()) return;
  constexpr float opacity = 0.65F;
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImGui::GetWindowDrawList()->AddRectFilled(min, {min.x + size.x, min.y + size.y},
                                            packed(frame.ui.theme().panel, opacity));
}

}  // namespace

PageAnswer page_part(Frame& frame, PageName name, ImVec2 room, Follows follows) {
  const float scale = frame.ui.page_scale();
  // The height of a page is a whole number of units. In a room with a fractional height, it would scroll.
  const PageSize size{room.x / scale, std::floor(room.y / scale)};
  const Page& page = kept_page(frame, name, size, follows);
  PageAnswer answer;
  answer.page = &page;
  answer.origin = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(name));
  invisible_button("page", {page.figure.width * scale, page.figure.height * scale});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  const auto heading = kept_heading(frame, answer);
  paint_page(frame, answer, heading);
  veil_earlier_picture(frame);
  frame.screen.view_scrolls = ImGui::GetScrollMaxY() > 0.0F;
  answer.at = to_figure(ImGui::GetIO().MousePos, answer.origin, scale);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool is_on_heading =
      heading && mouse.y < heading->max.y && mouse.x >= heading->min.x && mouse.x < heading->max.x;
  answer.region = hovered && !is_on_heading ? page.region_at(answer.at) : nullptr;
  answer.clicked = answer.region != nullptr && ImGui::IsMouseClicked(0);
  answer_on_maps(frame, answer);
  answer_on_labels(frame, answer);
  if (const auto* word = answer.on<ExplainedWord>()) tooltip(frame.ui, word->why);
  const bool is_on_text = hovered && !is_on_heading && !frame.screen.presents &&
                          (answer.region == nullptr || answer.on<SentenceArea>() != nullptr);
  const Term* const term = is_on_text ? pointed_term(answer, frame.ui.page_measure()) : nullptr;
  if (term != nullptr) tooltip(frame.ui, std::string(term->name).append(": ").append(term->meaning));
  if (const auto at = answer.table_cell())
    outline_cell(frame, std::get<TableCells>(answer.region->means).grid, *at, answer.origin);
  point_at_focus(frame, answer);
  if (frame.screen.presents && !frame.ui.is_still()) ring(frame, answer);
  return answer;
}

std::optional<CellIndex> PageAnswer::table_cell() const {
  const auto* cells = region == nullptr ? nullptr : std::get_if<TableCells>(&region->means);
  return cells == nullptr ? std::nullopt : cells->grid.cell_at(at);
}

}  // namespace headscope
