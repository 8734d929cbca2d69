#include "app/parts/page_part.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/parts/map_mouse.h"
#include "app/parts/number_editor.h"
#include "app/ui/figure_painter.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/lesson/lesson.h"
#include "core/lesson/read_lesson.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/prose_picture.h"
#include "core/palette/glossary.h"

namespace headscope {
namespace {

/// Makes a page, twice if a colour range grew meanwhile, because the first maps were drawn with the old
/// range.
Page make_page(Frame& frame, PageName name, const PageSize& size) {
  PageTools tools = page_tools(frame);
  const auto ranges = frame.screen.memo.difference_ranges;
  Page page = page_of(frame.screen.page_inputs, name, size, tools);
  return frame.screen.memo.difference_ranges == ranges ? std::move(page)
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
  take(kept.compared, frame.compared);
  take(kept.before_edit, frame.before_edit);
  take(kept.trace_model, frame.trace_model);
  take(kept.training, frame.training);
  const bool is_pushed = !frame.film.empty() && frame.film.back()->is_capture();
  take(kept.pushed, is_pushed ? frame.film : std::vector<Snapshot>());
  take(frame.screen.page_ranges, frame.screen.memo.difference_ranges);
  if (kept.step_progress != frame.screen.step_progress) {
    kept.step_progress = frame.screen.step_progress;
    ++frame.screen.step_version;
  }
  take(kept.n_positions, frame.screen.n_positions);
  take(kept.position_width, frame.screen.position_width);
  take(kept.parameter, frame.screen.trained_parameter);
  take(kept.user_lessons, frame.screen.scenes.user_lessons);
  take(kept.lesson_progress, frame.screen.scenes.lesson_progress);
  take(kept.strip_row, frame.screen.strip_row);
  take(kept.is_slide, frame.screen.presents);
  take(kept.reserved_link_width, width_of_edit_link(frame));
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
  return {frame.ui.page_measure(), frame.ui.page_fonts(), frame.screen.memo, frame.execute};
}

namespace {

std::uint64_t version_of(const ScreenState& screen, PageDependency dependency) {
  switch (dependency) {
    case PageDependency::token:
      return screen.token_version;
    case PageDependency::mouse:
      return screen.pointed_version;
    case PageDependency::step:
      return screen.step_version;
    case PageDependency::selection:
      break;
  }
  return 0;
}

const Page& cached_page(Frame& frame, PageName name, const PageSize& size, PageDependency dependency) {
  page_inputs(frame);
  PageCache& cache = frame.screen.pages[name];
  const std::size_t fonts = frame.ui.page_fonts();
  const std::uint64_t pointed = version_of(frame.screen, dependency);
  const bool is_same = cache.version == frame.screen.page_version && cache.pointed == pointed &&
                       cache.size == size && cache.fonts == fonts;
  if (!is_same) {
    cache.page = make_page(frame, name, size);
    cache.version = frame.screen.page_version;
    cache.pointed = pointed;
    cache.size = size;
    cache.fonts = fonts;
  }
  return cache.page;
}

void handle_maps_mouse(Frame& frame, const PageMouse& page_mouse) {
  const float scale = frame.ui.page_scale();
  for (const HitRegion& region : page_mouse.page->regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells == nullptr) continue;
    MapPanel& panel = frame.screen.memo.maps[cells->slot];
    const Point on_page = corner_of(*cells, panel);
    const ImVec2 corner{page_mouse.origin.x + on_page.x * scale, page_mouse.origin.y + on_page.y * scale};
    if (&region == page_mouse.region)
      handle_map_mouse(frame, panel, corner, page_mouse.clicked, ImGui::IsMouseDown(0));
    paint_map_marks(frame, panel, corner);
  }
}

/// A click on the label of a row selects its token.
void handle_label_mouse(Frame& frame, const PageMouse& page_mouse) {
  const auto* labels = page_mouse.on<RowLabels>();
  if (labels == nullptr || !page_mouse.clicked || frame.screen.marks_cells()) return;
  if (const auto row = labels->grid.row_at(page_mouse.at.y)) frame.emit(SelectToken{*row});
}

/// The sticky heading of a scrolled page.
struct StickyHeading {
  ImVec2 min, max;   ///< On the screen.
  float top = 0.0F;  ///< Of the heading on the page.
};

/// The heading to keep in sight. Empty if there is none or it is visible anyway.
std::optional<StickyHeading> sticky_heading(const Frame& frame, const PageMouse& page_mouse) {
  const HitRegion* found = page_mouse.first<HeadingArea>();
  if (found == nullptr) return std::nullopt;
  const float scale = frame.ui.page_scale();
  const ImVec2 min{page_mouse.origin.x + found->box.x * scale, ImGui::GetWindowPos().y};
  if (min.y <= page_mouse.origin.y + found->box.y * scale) return std::nullopt;
  return StickyHeading{min, {min.x + found->box.w * scale, min.y + found->box.h * scale}, found->box.y};
}

/// Paints the page, except what has scrolled under the sticky heading.
void paint_page(Frame& frame, const PageMouse& page_mouse, const std::optional<StickyHeading>& heading) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Figure& figure = page_mouse.page->figure;
  const float scale = frame.ui.page_scale();
  if (!heading) return paint_figure(frame.ui, list, figure, page_mouse.origin, scale);
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const auto paint_within = [&](ImVec2 min, ImVec2 max) {
    list.PushClipRect(min, max, true);
    paint_figure(frame.ui, list, figure, page_mouse.origin, scale);
    list.PopClipRect();
  };
  paint_within({heading->min.x, heading->max.y}, {window.x + size.x, window.y + size.y});
  if (heading->min.x > window.x) paint_within(window, {heading->min.x, window.y + size.y});
  list.PushClipRect(heading->min, heading->max, true);
  paint_figure(frame.ui, list, figure, {page_mouse.origin.x, heading->min.y - heading->top * scale}, scale);
  list.PopClipRect();
}

/// The term of the glossary that the mouse is on, in the page's own texts. Null if there is none.
const Term* pointed_term(const PageMouse& page_mouse, const MeasureText& measure) {
  for (const Item& item : page_mouse.page->figure.items) {
    const auto* label = std::get_if<Label>(&item);
    const bool is_near = label != nullptr && label->degrees == 0.0F &&
                         std::abs(page_mouse.at.y - label->at.y) <= 2.0F * label->size;
    if (!is_near) continue;
    const std::string_view text = label->text;
    const TextSize size = measure(text, label->font, label->size);
    const float left = label->at.x - size.width * (label->horizontal == HorizontalAnchor::left    ? 0.0F
                                                   : label->horizontal == HorizontalAnchor::right ? 1.0F
                                                                                                  : 0.5F);
    const float top = label->at.y - size.height * (label->vertical == VerticalAnchor::top      ? 0.0F
                                                   : label->vertical == VerticalAnchor::bottom ? 1.0F
                                                                                               : 0.5F);
    if (!Box{left, top, size.width, size.height}.contains(page_mouse.at)) continue;
    std::size_t begin = 0;  // of the word that the mouse is on
    for (std::size_t end = text.find(' '); end != std::string_view::npos; end = text.find(' ', end + 1)) {
      if (measure(text.substr(0, end), label->font, label->size).width >= page_mouse.at.x - left) break;
      begin = end + 1;
    }
    if (const Term* const term = term_at(text, begin)) return term;
  }
  return nullptr;
}

/// The box that the mouse is on: a cell, the label of a row, or a part of the page that is not a map.
std::optional<Box> pointed_box(const PageMouse& page_mouse) {
  if (page_mouse.region == nullptr || std::holds_alternative<SentenceArea>(page_mouse.region->meaning))
    return std::nullopt;
  const CellGrid* grid = nullptr;
  if (const auto* cells = page_mouse.on<StageCells>()) grid = &cells->grid;
  if (const auto* cells = page_mouse.on<TableCells>()) grid = &cells->grid;
  if (const auto* labels = page_mouse.on<RowLabels>()) {
    const auto row = labels->grid.row_at(page_mouse.at.y);
    if (!row) return std::nullopt;
    const Box cells = labels->grid.box_of(*row, labels->grid.first_col);
    return Box{page_mouse.region->box.x, cells.y, page_mouse.region->box.w, cells.h};
  }
  if (grid == nullptr) return page_mouse.region->box;
  const auto cell = grid->cell_at(page_mouse.at);
  return cell ? std::optional(grid->box_of(cell->row, cell->col)) : std::nullopt;
}

/// Draws a ring around what the mouse is on, visible from the last row of a lecture hall.
void ring(Frame& frame, const PageMouse& page_mouse) {
  const auto box = pointed_box(page_mouse);
  if (!box) return;
  const float scale = frame.ui.page_scale();
  // A line in a list touches the lines above and below. Its ring stays on their edge so that it hides
  // neither.
  constexpr float min_ring_size = 56.0F;
  constexpr float around = 8.0F;
  const bool is_line = box->w > 4.0F * box->h && box->h < min_ring_size;
  // Around most of the page, it would point at nothing.
  constexpr float widest_share = 0.8F;
  if (!is_line && box->w > widest_share * page_mouse.page->figure.width) return;
  const float least = is_line ? 0.0F : min_ring_size;
  const float above = is_line ? 0.0F : around;
  const float thickness = is_line ? 3.0F : 5.0F;
  const float half_width = 0.5F * std::max(box->w + 2.0F * around, least) * scale;
  const float half_height = 0.5F * std::max(box->h + 2.0F * above, least) * scale;
  const ImVec2 middle{page_mouse.origin.x + (box->x + 0.5F * box->w) * scale,
                      page_mouse.origin.y + (box->y + 0.5F * box->h) * scale};
  const ImVec2 min{middle.x - half_width, middle.y - half_height};
  const ImVec2 max{middle.x + half_width, middle.y + half_height};
  // The corners of a large ring must not cut off what is in them.
  const float rounding =
      is_line ? 6.0F * scale : std::min({half_width, half_height, 0.5F * min_ring_size * scale});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(min, max, packed(frame.ui.theme().panel), rounding, 0, (thickness + 4.0F) * scale);
  list.AddRect(min, max, packed(frame.ui.theme().accent), rounding, 0, thickness * scale);
}

/// Highlights what a step of a lesson is about, with a ring that closes in when the step begins, and stays.
void highlight_focus(Frame& frame, const PageMouse& page_mouse) {
  if (frame.lesson == nullptr || !frame.trace) return;
  constexpr double seconds = 0.9;
  const double age = ImGui::GetTime() - frame.screen.lesson.started_at;
  const bool moves = age < seconds && !frame.screen.reduces_motion && !frame.ui.hides_transients();
  const float scale = frame.ui.page_scale();
  const float apart = (3.0F + (moves ? 22.0F * static_cast<float>(1.0 - age / seconds) : 0.0F)) * scale;
  for (const LessonFocus& focus : frame.lesson->walk.at().focus) {
    for (const Box& box : focused_boxes(*page_mouse.page, focus, frame.session, *frame.trace)) {
      const ImVec2 min{page_mouse.origin.x + box.x * scale - apart,
                       page_mouse.origin.y + box.y * scale - apart};
      const ImVec2 max{min.x + box.w * scale + 2.0F * apart, min.y + box.h * scale + 2.0F * apart};
      ImGui::GetWindowDrawList()->AddRect(min, max, packed(frame.ui.theme().accent), 4.0F * scale, 0,
                                          2.5F * scale);
    }
  }
  if (moves) frame.ui.wake_in(0.0);
}

/// Fades the picture of an earlier pass if the current session cannot be computed, so that stale numbers are
/// not mistaken for the answer.
void fade_stale_page(Frame& frame) {
  if (frame.error.empty()) return;
  constexpr float opacity = 0.65F;
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImGui::GetWindowDrawList()->AddRectFilled(min, {min.x + size.x, min.y + size.y},
                                            packed(frame.ui.theme().panel, opacity));
}

}  // namespace

PageMouse draw_page(Frame& frame, PageName name, PageDependency dependency, ImVec2 room) {
  const float scale = frame.ui.page_scale();
  // The height of a page is a whole number of units. In a room with a fractional height, it would scroll.
  const PageSize size{room.x / scale, std::floor(room.y / scale)};
  const Page& page = cached_page(frame, name, size, dependency);
  PageMouse page_mouse;
  page_mouse.page = &page;
  page_mouse.origin = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(name));
  invisible_button("page", {page.figure.width * scale, page.figure.height * scale});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  const auto heading = sticky_heading(frame, page_mouse);
  paint_page(frame, page_mouse, heading);
  fade_stale_page(frame);
  frame.screen.view_scrolls = ImGui::GetScrollMaxY() > 0.0F;
  page_mouse.at = to_figure(ImGui::GetIO().MousePos, page_mouse.origin, scale);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool is_on_heading =
      heading && mouse.y < heading->max.y && mouse.x >= heading->min.x && mouse.x < heading->max.x;
  page_mouse.region = hovered && !is_on_heading ? page.region_at(page_mouse.at) : nullptr;
  page_mouse.clicked = page_mouse.region != nullptr && ImGui::IsMouseClicked(0);
  handle_maps_mouse(frame, page_mouse);
  handle_label_mouse(frame, page_mouse);
  if (const auto* word = page_mouse.on<ExplainedWord>()) tooltip(frame.ui, word->why);
  const bool is_on_text = hovered && !is_on_heading && !frame.screen.presents &&
                          (page_mouse.region == nullptr || page_mouse.on<SentenceArea>() != nullptr);
  const Term* const term = is_on_text ? pointed_term(page_mouse, frame.ui.page_measure()) : nullptr;
  if (term != nullptr) tooltip(frame.ui, std::string(term->name).append(": ").append(term->meaning));
  if (const auto at = page_mouse.table_cell())
    outline_cell(frame, std::get<TableCells>(page_mouse.region->meaning).grid, *at, page_mouse.origin);
  highlight_focus(frame, page_mouse);
  if (frame.screen.presents && !frame.ui.hides_transients()) ring(frame, page_mouse);
  return page_mouse;
}

std::optional<CellIndex> PageMouse::table_cell() const {
  const auto* cells = region == nullptr ? nullptr : std::get_if<TableCells>(&region->meaning);
  return cells == nullptr ? std::nullopt : cells->grid.cell_at(at);
}

namespace {

void follow(Frame& frame, const Lesson& from, const std::string& address) {
  if (!is_lesson_link(address)) {
    frame.ui.set_clipboard_text(address);
    return frame.screen.toasts.push("Copied the address: " + address, NoticeKind::information);
  }
  frame.send(OpenLesson{linked_lesson(from, address)});
}

}  // namespace

void draw_prose(Frame& frame, const Prose& text, Color color, float size, const Lesson& from) {
  if (text.empty()) return;
  Ui& ui = frame.ui;
  const float width = ImGui::GetContentRegionAvail().x / ui.scale();
  const ProsePicture picture = prose_picture(text, width, size, color, ui.theme(), ui.measure());
  const ImVec2 origin = figure_item(ui, picture.figure);
  if (!ImGui::IsItemHovered()) return;
  const Point mouse = to_figure(ImGui::GetIO().MousePos, origin, ui.scale());
  for (const ProsePicture::Link& link : picture.links) {
    if (!link.box.contains(mouse)) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tooltip(ui, is_lesson_link(link.address) ? "Opens this lesson" : "Copies the address " + link.address);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) follow(frame, from, link.address);
  }
}

void lesson_link(Frame& frame, const std::string& name, float size) {
  const EmbeddedFile* file = lesson_file(name);
  if (file == nullptr) return;
  std::string& title = frame.screen.own.of<std::map<std::string, std::string>>("lesson titles")[name];
  if (title.empty()) title = outline_of_lesson(name, file->text).title;
  const std::string label = "Lesson: " + title;
  if (link(frame.ui, label.c_str(), "Explains what this shows, and asks you to try it", size))
    frame.send(OpenLesson{name});
}

}  // namespace headscope
