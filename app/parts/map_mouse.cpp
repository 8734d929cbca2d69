#include "app/parts/map_mouse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/imgui/keys.h"
#include "app/parts/page_part.h"
#include "app/ui/figure_painter.h"
#include "app/ui/ui.h"
#include "app/widgets/text.h"
#include "core/figure/text_fit.h"
#include "core/page/compare/compare_page.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/map_panel.h"
#include "core/trace/cover.h"

namespace headscope {
namespace {

constexpr std::size_t longest_answer = 24;  ///< bytes

/// Appends what was typed in this frame, without a field. It replaces a wrong answer. Returns whether letters
/// were added or removed, and whether Enter was pressed.
std::pair<bool, bool> answer_keys(const Ui& ui, TypedAnswer& draft) {
  bool changed = false;
  if (text_has_focus()) return {};
  if (const std::string text = ui.typed_text(); captures_typing(draft, text)) {
    if (!draft.complaint.empty()) draft.typed.clear();
    if (draft.typed.size() + text.size() <= longest_answer) draft.typed += text;
    changed = true;
  }
  constexpr bool repeats = true;
  if (chord_pressed({Key::backspace}, repeats) && !draft.typed.empty()) {
    draft.typed.resize(start_of_character(draft.typed, draft.typed.size() - 1));
    changed = true;
  }
  return {changed, chord_pressed({Key::enter}) || chord_pressed({Key::keypad_enter})};
}

/// Checks whether the typed text is right, wrong or not a number. A map shows −∞ for the weights of hidden
/// cells, but the stage stores 0.
void check_answer(Frame& frame, const Trace& trace, const Pin& at) {
  TypedAnswer& draft = frame.screen.answer;
  if (draft.typed.empty() || !trace.is_quick_to_read(at.stage)) return;
  const auto answer = parse_answer(draft.typed);
  if (!answer) {
    draft.complaint = "“" + draft.typed + "” is not a number.";
    return;
  }
  if (!is_right_answer(*answer, trace.number(at.stage, at.row, at.col))) {
    draft.complaint = "“" + draft.typed + "” is wrong.";
    return;
  }
  Cover cover = frame.session.cover;
  cover.right.push_back({at.row, at.col});
  frame.emit(set_cover(std::move(cover)));
  draft = {};
}

/// Places the tooltip beside the row and column of the cell, and left of the colour bar.
void cell_tooltip(Frame& frame, const MapPanel& panel, const CellIndex& cell, ImVec2 origin,
                  const std::string& said) {
  const float scale = frame.ui.page_scale();
  const Box box = panel.layout.box_of(cell.row, cell.col);
  const ImVec2 min(origin.x + box.x * scale, origin.y + box.y * scale);
  const ImVec2 max(min.x + box.w * scale, min.y + box.h * scale);
  const float window = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x;
  const Box& bar = panel.layout.color_bar;
  const float right = bar.w > 0.0F ? std::min(origin.x + bar.x * scale, window) : window;
  tooltip_beside(frame.ui, said, min, max, right);
}

/// Paints the answer in its cell as it is typed, with a frame to show that the cell takes the keys. Beside a
/// cell that the mouse has left with Tab, it says what is wrong with the answer.
void paint_answer(Frame& frame, const MapPanel& panel, const Pin& at, ImVec2 origin) {
  const TypedAnswer& draft = frame.screen.answer;
  const Theme& theme = frame.ui.theme();
  constexpr float size = 12.0F;
  constexpr float padding = 6.0F;
  const std::string shown = draft.typed + (draft.complaint.empty() && !text_has_focus() ? "│" : "");
  Box box = panel.layout.box_of(at.row, at.col);
  const float width = frame.ui.page_measure()(shown, Font::mono, size).width + 2.0F * padding;
  const bool is_typed = !draft.typed.empty();
  const float wider = is_typed ? std::max(0.0F, width - box.w) : 0.0F;
  const float higher = is_typed ? std::max(0.0F, size + 8.0F - box.h) : 0.0F;
  box = {box.x - 0.5F * wider, box.y - 0.5F * higher, box.w + wider, box.h + higher};
  const Color ink = draft.complaint.empty() ? theme.accent : theme.warning;
  Figure figure;
  figure.items.emplace_back(FilledRect{box, theme.panel, 2.0F});
  figure.items.emplace_back(StrokedRect{box, ink, 2.0F, 2.0F});
  figure.items.emplace_back(Label{shown,
                                  {box.x + 0.5F * box.w, box.y + 0.5F * box.h},
                                  draft.complaint.empty() ? theme.text : theme.warning,
                                  size,
                                  Font::mono,
                                  HorizontalAnchor::center,
                                  VerticalAnchor::middle});
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), figure, origin, frame.ui.page_scale());
  if (draft.pointed != at && !draft.complaint.empty())
    cell_tooltip(frame, panel, {at.row, at.col}, origin, draft.complaint + " Try again.");
}

/// Whether a lesson asks for the covered numbers, so that a click must not reveal them. The lesson has its
/// own button for that.
bool belongs_to_lesson_question(const Frame& frame) {
  if (frame.lesson == nullptr) return false;
  const LessonStep& step = frame.lesson->walk.at();
  if (!step.question || !step.session.cover.stage) return false;
  const LessonWalk::Answered& answered = frame.lesson->walk.here();
  return !answered.is_right && !answered.is_revealed;
}

/// The fewest rows and columns that a zoomed map shows.
constexpr int min_visible = 4;

/// Zooms around the cell under the mouse, pans on a drag, and resets on a double click.
void navigate(Frame& frame, MapPanel& panel, const CellIndex& cell, ImVec2 cell_pixels) {
  const Extent& values = panel.extent;
  const ImGuiIO& io = ImGui::GetIO();
  StageWindow& window = panel.window;
  const auto shown = [](int count, int all) { return count == 0 ? all : std::min(count, all); };
  int n_rows = shown(window.n_rows, values.rows);
  int n_cols = shown(window.n_cols, values.cols);
  // If the view itself scrolls, the wheel scrolls it unless Ctrl is held.
  const bool zooms = !frame.screen.view_scrolls || io.KeyCtrl;
  if (io.MouseWheel != 0.0F && zooms) {
    const float factor = io.MouseWheel > 0.0F ? 0.8F : 1.25F;
    const auto zoom = [&](int first, int& count, int all, int at) {
      const int scaled = static_cast<int>(std::lround(static_cast<float>(count) * factor));
      const int fewer = std::clamp(scaled == count ? count + (factor > 1.0F ? 1 : -1) : scaled,
                                   std::min(min_visible, all), all);
      const int before = at - first;
      const int moved = at - before * fewer / std::max(count, 1);
      count = fewer;
      return std::clamp(moved, 0, all - fewer);
    };
    window.first_row = zoom(window.first_row, n_rows, values.rows, cell.row);
    window.first_col = zoom(window.first_col, n_cols, values.cols, cell.col);
  }
  for (const int button : {0, 1, 2}) {
    // With the left button, a movement below the usual threshold is a click, and a stroke that marks cells
    // does not pan.
    const bool is_left = button == 0;
    if (is_left && frame.screen.marks_cells()) continue;
    const float threshold = is_left ? -1.0F : 0.0F;
    if (!ImGui::IsMouseDragging(button, threshold)) continue;
    const ImVec2 moved = ImGui::GetMouseDragDelta(button, threshold);
    const int rows = static_cast<int>(moved.y / std::max(cell_pixels.y, 1.0F));
    const int cols = static_cast<int>(moved.x / std::max(cell_pixels.x, 1.0F));
    if (rows == 0 && cols == 0) continue;
    window.first_row = std::clamp(window.first_row - rows, 0, values.rows - n_rows);
    window.first_col = std::clamp(window.first_col - cols, 0, values.cols - n_cols);
    ImGui::ResetMouseDragDelta(button);
  }
  const bool all =
      (n_rows == values.rows && n_cols == values.cols) || ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  const StageWindow shown_now =
      all ? StageWindow{} : StageWindow{window.first_row, window.first_col, n_rows, n_cols};
  if (!(shown_now == panel.key.window)) ++frame.screen.page_version;
  window = shown_now;
}

/// The correspondence of the cells in a held subject's map. Null if the map is the session's own.
const ComparedCells* comparison(const Frame& frame, const MapPanel& panel) {
  const auto found = frame.screen.memo.comparison.find(panel.key.look.compared);
  return found == frame.screen.memo.comparison.end() ? nullptr : &found->second;
}

std::optional<int> place_of(const std::vector<int>& indices, int wanted) {
  const auto found = std::ranges::find(indices, wanted);
  return found == indices.end() ? std::nullopt : std::optional(static_cast<int>(found - indices.begin()));
}

/// The cell of the session's own stage that a cell of a map corresponds to. Empty if there is none.
std::optional<Pin> cell_in_session(const Frame& frame, const MapPanel& panel, const CellIndex& cell) {
  if (panel.key.look.compared < 0) return Pin{panel.key.stage, cell.row, cell.col};
  const ComparedCells* cells = comparison(frame, panel);
  if (cells == nullptr) return std::nullopt;
  const auto row = place_of(cells->cells.rows, cell.row);
  const auto col = place_of(cells->cells.cols, cell.col);
  return row && col ? std::optional(Pin{cells->stage, *row, *col}) : std::nullopt;
}

/// On the page Compare, the values of the corresponding cells of the other subjects, one per line.
std::string counterpart_text(const Frame& frame, const MapPanel& panel, const Pin& at) {
  const int shown = panel.key.look.compared;
  const auto own = cell_in_session(frame, panel, {at.row, at.col});
  if (!own || frame.session.view != PageName::compare || frame.session.cover.stage) return {};
  std::string said;
  const auto add = [&](int compared, const Trace& trace, const StageId& stage, int row, int col) {
    if (row >= 0 && col >= 0 && trace.is_quick_to_read(stage))
      said += "\n" + subject_name(compared) + ": " + describe_cell(trace, stage, row, col);
  };
  for (const auto& [compared, cells] : frame.screen.memo.comparison) {
    const bool is_current = cells.trace == frame.trace && cells.stage == own->stage && cells.compared_trace;
    const auto row = static_cast<std::size_t>(own->row);
    const auto col = static_cast<std::size_t>(own->col);
    if (compared != shown && is_current && row < cells.cells.rows.size() && col < cells.cells.cols.size())
      add(compared, *cells.compared_trace, cells.compared_stage, cells.cells.rows[row],
          cells.cells.cols[col]);
  }
  constexpr int edited = -1;
  if (shown >= 0 && frame.trace && frame.trace->has(own->stage))
    add(edited, *frame.trace, own->stage, own->row, own->col);
  return said;
}

std::string hover_text(const Frame& frame, const MapPanel& panel, const Pin& at) {
  const int compared = panel.key.look.compared;
  const bool is_compared = compared >= 0 || frame.session.view == PageName::compare;
  std::string said = is_compared && !panel.key.against ? subject_name(compared) + ": " : "";
  if (!panel.source || !panel.source->is_quick_to_read()) return said + "Computing…";
  said += describe_cell(*panel.key.trace, at.stage, at.row, at.col);
  if (panel.key.against) {
    const StageNumbers cell = panel.source->read({at.row, at.col, 1, 1});
    const float change = cell.view(0, 0);
    said += std::isfinite(change)
                ? "\nB − A is " + number_text(change) + "."
                : "\nNothing to compare with: the cell is only in B, or hidden in A or in B.";
  }
  said += counterpart_text(frame, panel, at);
  if (panel.layout.pooled)
    said += std::string("\nEach pixel covers several cells and shows the largest") +
            (panel.key.look.zoomable ? "; zoom in with the wheel." : ".");
  const bool is_part = panel.key.window.n_rows > 0 || panel.key.window.n_cols > 0;
  if (is_part && panel.key.look.only_row < 0) {
    said += "\nThis is a part of the map; double-click to show all of it.";
  }
  return said;
}

/// A stroke of the mouse over the cells of a map.
struct CellStroke {
  bool marks = true;       ///< whether it marks or unmarks cells
  std::optional<Cell> at;  ///< the cell that it has reached
};

/// Extends a stroke to a cell and returns the cells that it crossed since the last frame. A new stroke marks
/// cells if its first one `is_free`.
std::vector<Cell> crossed_cells(CellStroke& stroke, const Cell& cell, bool is_free) {
  if (ImGui::IsMouseClicked(0)) stroke = {is_free, std::nullopt};
  const Cell from = stroke.at.value_or(cell);
  const int steps = std::max({std::abs(cell.query - from.query), std::abs(cell.key - from.key), 1});
  std::vector<Cell> cells;
  for (int step = 0; step <= steps; ++step) {
    const float share = static_cast<float>(step) / static_cast<float>(steps);
    const auto between = [share](int a, int b) {
      return static_cast<int>(std::lround(std::lerp(static_cast<float>(a), static_cast<float>(b), share)));
    };
    cells.push_back({between(from.query, cell.query), between(from.key, cell.key)});
  }
  stroke.at = cell;
  return cells;
}

/// Covers the cells under a stroke that began on an uncovered cell; otherwise uncovers them.
void cover_stroke(Frame& frame, const Pin& at) {
  Cover cover = frame.session.cover;
  if (cover.stage != at.stage) {
    cover = {};
    cover.stage = at.stage;
  }
  cover.solution = false;
  auto& stroke = frame.screen.own.of<CellStroke>("cover");
  for (const Cell& cell : crossed_cells(stroke, {at.row, at.col}, !cover.covers(at.row, at.col)))
    cover = with_cell(std::move(cover), {cell.query, cell.key}, stroke.marks);
  if (!(cover == frame.session.cover)) frame.emit(set_cover(std::move(cover)));
}

/// Hides the cells under a stroke of the mouse if the stroke began on a visible cell; otherwise shows them.
void paint(Frame& frame, const Cell& cell) {
  const Session& session = frame.session;
  const auto& painted = selected_mask(session, session.attention).painted;
  const auto is_painted = [&painted](const Cell& at) { return std::ranges::binary_search(painted, at); };
  auto& stroke = frame.screen.own.of<CellStroke>("paint");
  for (const Cell& at : crossed_cells(stroke, cell, !is_painted(cell))) {
    if (is_painted(at) != stroke.marks) frame.emit(paint_cell(at, stroke.marks));
  }
}

/// The text beside the mouse on a covered cell.
std::string covered_text(const Frame& frame, MapPanel& panel, const Pin& at) {
  const std::string said = name_of_cell(*panel.key.trace, at.stage, at.row, at.col) + ": covered.";
  if (frame.screen.is(ClickMode::covering)) return said + " Click or drag to uncover it.";
  const bool is_asked = belongs_to_lesson_question(frame);
  if (panel.key.against != nullptr) return is_asked ? said : said + " Click to see it.";
  const std::string or_click = is_asked ? "" : ", or click to see it";
  const TypedAnswer& draft = frame.screen.answer;
  if (draft.pointed == at && !draft.complaint.empty()) return draft.complaint + " Try again" + or_click + ".";
  const char* const hidden = at.stage.kind == StageKind::masked ? "or -inf, " : "";
  return said + "\nType its number, " + hidden + std::string(answer_rule) +
         " Press Enter when it is complete, Tab to go on" + or_click + ".";
}

/// The covered cell after this one that the map shows, row by row and around. Empty if there is no other.
std::optional<Pin> covered_after(const MapPanel& panel, const Pin& at) {
  const auto [rows, cols] = panel.extent;
  for (int i = 1; i < rows * cols; ++i) {
    const int next = (at.row * cols + at.col + i) % (rows * cols);
    const int row = next / cols, col = next % cols;
    if (panel.key.cover.hides(row, col) && panel.layout.box_of_part(row, col)) return Pin{at.stage, row, col};
  }
  return std::nullopt;
}

/// Handles a covered cell of a map under the mouse. A typed answer is checked on Enter, on Tab, which goes on
/// to the next cell, or when the mouse leaves the cell; Escape, which is a command's key, discards it; a
/// click reveals the number. `origin` is the map's corner on the screen.
void handle_covered_cell(Frame& frame, MapPanel& panel, const Pin& at, bool clicked, ImVec2 origin) {
  TypedAnswer& draft = frame.screen.answer;
  if (clicked && !belongs_to_lesson_question(frame)) {
    draft = {};
    frame.emit(set_cover(with_cell(frame.session.cover, {at.row, at.col}, false)));
    return;
  }
  const int now = ImGui::GetFrameCount();
  if (draft.pointed != at && draft.at == at) {
    draft.pointed = at;  // The mouse comes to the cell to which Tab went.
  } else if (draft.pointed != at) {
    check_abandoned_answer(frame);
    draft = {at, "", "", now, at};
  }
  draft.frame = now;
  if (panel.key.against != nullptr || !draft.at) return;
  const auto [changed, entered] = answer_keys(frame.ui, draft);
  if (changed) {
    draft.complaint.clear();
    ImGui::SetWindowFocus(nullptr);  // Otherwise, Tab would go to a field.
  }
  const Pin answered = *draft.at;
  const bool tabs = (!draft.typed.empty() || answered != at) && chord_pressed({Key::tab});
  if (entered || tabs) check_answer(frame, *panel.key.trace, answered);
  if (tabs && draft.complaint.empty()) draft = {covered_after(panel, answered), "", "", now, at};
  if (changed || entered || tabs) frame.ui.wake_in(0.0);
  if (draft.at) paint_answer(frame, panel, *draft.at, origin);
}

bool handle_mouse(Frame& frame, MapPanel& panel, const CellIndex& cell, bool clicked, bool compared,
                  ImVec2 origin) {
  const Pin shown{panel.key.stage, cell.row, cell.col};
  const bool hides = panel.key.cover.hides(cell.row, cell.col);
  if (hides || panel.key.look.has_tooltip)
    cell_tooltip(frame, panel, cell, origin,
                 hides ? covered_text(frame, panel, shown) : hover_text(frame, panel, shown));
  const auto own = cell_in_session(frame, panel, cell);
  if (!own) return false;
  const Pin& at = *own;
  frame.screen.next_hovered = at;
  const bool is_own = panel.key.look.compared < 0;
  if (frame.screen.is(ClickMode::covering) && is_own && panel.key.look.pins) {
    if (compared || clicked) cover_stroke(frame, at);
    return false;
  }
  const TypedAnswer& draft = frame.screen.answer;
  const bool takes_keys = hides || (draft.pointed == at && draft.at && draft.at != at && !clicked);
  if (takes_keys && is_own && panel.key.look.pins && !frame.screen.is(ClickMode::painting)) {
    handle_covered_cell(frame, panel, at, clicked, origin);
    return false;
  }
  if (frame.screen.is(ClickMode::painting) && is_map(at.stage.kind) && is_own) {
    if (compared || clicked) paint(frame, {at.row, at.col});
    return false;
  }
  if (!clicked || !panel.key.look.pins) return false;
  if (info(at.stage.kind).scope == StageScope::head) frame.emit(select_head(at.stage.head));
  if (info(at.stage.kind).rows == Axis::query_tokens) frame.emit(SelectToken{at.row});
  frame.emit(PinCell{at});
  return true;
}

}  // namespace

bool is_number_prefix(std::string_view typed) {
  constexpr std::array<std::string_view, 4> beginnings{"−", "∞", "-", "+"};
  return !typed.empty() &&
         (std::string_view("0123456789.,").find(typed.front()) != std::string_view::npos ||
          std::ranges::any_of(beginnings, [&](std::string_view sign) { return typed.starts_with(sign); }));
}

bool captures_typing(const TypedAnswer& draft, std::string_view typed) {
  return !typed.empty() && draft.is_active(ImGui::GetFrameCount());
}

void check_abandoned_answer(Frame& frame) {
  const TypedAnswer& draft = frame.screen.answer;
  if (!draft.at || draft.typed.empty() || !draft.complaint.empty() || !frame.trace) return;
  const Pin at = *draft.at;
  const Extent size = frame.trace->has(at.stage) ? frame.trace->extent(at.stage) : Extent{};
  const bool is_covered = frame.session.cover.is_over(canonical(frame.session.architecture, at.stage)) &&
                          at.row < size.rows && at.col < size.cols &&
                          frame.session.cover.hides(at.row, at.col);
  if (is_covered && parse_answer(draft.typed)) check_answer(frame, *frame.trace, at);
}

Cover toggled_cover(const Session& session) {
  Cover cover;
  const StageId shown = canonical(session.architecture, session.selection.at(session.selection.stage));
  if (session.cover.is_over(shown)) return cover;
  cover.stage = shown;
  cover.all = true;
  return cover;
}

bool handle_map_mouse(Frame& frame, MapPanel& panel, ImVec2 origin, bool clicked, bool compared) {
  const float scale = frame.ui.page_scale();
  const auto cell = panel.layout.cell_at(to_figure(ImGui::GetIO().MousePos, origin, scale));
  if (!cell) return false;
  const bool was_clicked = handle_mouse(frame, panel, *cell, clicked, compared, origin);
  if (panel.key.look.zoomable) {
    navigate(frame, panel, *cell, {panel.layout.cell_width * scale, panel.layout.cell_height * scale});
  }
  return was_clicked;
}

void paint_map_marks(Frame& frame, MapPanel& panel, ImVec2 origin) {
  const auto& hovered = frame.screen.hovered;
  if (!panel.problem.empty() || !hovered) return;
  const PageInputs& in = page_inputs(frame);
  PageTools tools = page_tools(frame);
  const Theme& theme = frame.ui.theme();
  const auto paint = [&](const Figure& marks) {
    paint_figure(frame.ui, *ImGui::GetWindowDrawList(), marks, origin, frame.ui.page_scale());
  };
  // The page itself marks the cells that the pinned cell was computed from.
  const bool is_inspected = inspected(frame) == hovered && frame.session.selection.pin != hovered;
  const Explanation* explanation =
      is_inspected && panel.key.look.compared < 0 ? derivation_of(in, tools, *hovered) : nullptr;
  if (explanation != nullptr) paint(source_marks(*explanation, panel, theme));
  const auto cell_of = [&](const std::optional<Pin>& pin) {
    return pin ? cell_of_map(frame.screen.memo, panel, *pin) : std::nullopt;
  };
  const auto cell = cell_of(hovered);
  if (cell != cell_of(frame.session.selection.pin)) paint(cell_marks(std::nullopt, cell, panel, theme));
}

}  // namespace headscope
