#include "app/widgets/number_grid.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>

#include "app/imgui/keys.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "core/exact_text.h"
#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr std::size_t longest_typed = 60;  ///< bytes

OwnedMatrix with_block(const MatrixView& numbers, const GridRange& range,
                       const std::function<float(int, int)>& value) {
  OwnedMatrix changed(numbers);
  for (int row = 0; row < range.n_rows; ++row)
    for (int col = 0; col < range.n_cols; ++col)
      changed.at(range.first_row + row, range.first_col + col) = value(row, col);
  return changed;
}

void move_caret(TypedCell& typed, int step) {
  if (step < 0 && typed.caret > 0) typed.caret = start_of_character(typed.text, typed.caret - 1);
  if (step > 0) typed.caret = end_of_character(typed.text, typed.caret + 1);
}

void erase_before_caret(TypedCell& typed) {
  const std::size_t end = typed.caret;
  move_caret(typed, -1);
  typed.text.erase(typed.caret, end - typed.caret);
}

void insert_text(TypedCell& typed, std::string_view text) {
  if (typed.text.size() + text.size() > longest_typed) return;
  typed.text.insert(typed.caret, text);
  typed.caret += text.size();
}

/// Takes the text typed in this frame. The first letter replaces the number.
void take_letters(const Ui& ui, NumberGridState& state) {
  std::string typed = ui.typed_text();
  if (!state.typed) typed.erase(0, typed.find_first_not_of(' '));
  if (typed.empty()) return;
  if (!state.typed) state.typed = TypedCell{};
  insert_text(*state.typed, typed);
  state.complaint.clear();
}

constexpr bool repeats = true;

/// Handles the keys that move within the typed text. Returns true if one was pressed.
bool edit_keys(TypedCell& typed) {
  if (chord_pressed({Key::left}, repeats)) return move_caret(typed, -1), true;
  if (chord_pressed({Key::right}, repeats)) return move_caret(typed, 1), true;
  if (chord_pressed({Key::home})) return typed.caret = 0, true;
  if (chord_pressed({Key::end})) return typed.caret = typed.text.size(), true;
  if (chord_pressed({Key::backspace}, repeats)) return erase_before_caret(typed), true;
  if (chord_pressed({Key::del}, repeats) && typed.caret < typed.text.size()) {
    move_caret(typed, 1);
    return erase_before_caret(typed), true;
  }
  return false;
}

/// Moves to a cell, clamped to the matrix. With `selects`, extends the selection to it; otherwise starts a
/// new one.
void go_to_cell(const NumberGridSpec& spec, NumberGridState& state, CellIndex cell, bool selects) {
  state.at = {std::clamp(cell.row, 0, spec.numbers.rows - 1), std::clamp(cell.col, 0, spec.numbers.cols - 1)};
  if (!selects) state.anchor = state.at;
  state.scrolls_to_cell = true;
}

/// The next or previous cell, continuing in the neighbouring row at the end of a row.
CellIndex next_cell(const MatrixView& numbers, CellIndex cell, int step) {
  cell.col += step;
  if (cell.col >= numbers.cols && cell.row + 1 < numbers.rows) return {cell.row + 1, 0};
  if (cell.col < 0 && cell.row > 0) return {cell.row - 1, numbers.cols - 1};
  return cell;
}

/// The cell that a key moves to. Empty if no such key was pressed.
std::optional<CellIndex> moved_by_keys(const NumberGridSpec& spec, NumberGridState& state, bool& selects) {
  const CellIndex at = state.at;
  constexpr int page = 10;
  const std::array<std::pair<Key, CellIndex>, 8> moves{{{Key::up, {at.row - 1, at.col}},
                                                        {Key::down, {at.row + 1, at.col}},
                                                        {Key::left, {at.row, at.col - 1}},
                                                        {Key::right, {at.row, at.col + 1}},
                                                        {Key::page_up, {at.row - page, at.col}},
                                                        {Key::page_down, {at.row + page, at.col}},
                                                        {Key::home, {at.row, 0}},
                                                        {Key::end, {at.row, spec.numbers.cols - 1}}}};
  for (const auto& [key, cell] : moves) {
    selects = chord_pressed({key, false, true}, repeats);
    if (!selects && !chord_pressed({key}, repeats)) continue;
    state.tabbed_from.reset();
    return cell;
  }
  if (chord_pressed({Key::tab}, repeats)) {
    if (!state.tabbed_from) state.tabbed_from = at.col;
    return next_cell(spec.numbers, at, 1);
  }
  if (chord_pressed({Key::tab, false, true}, repeats)) return next_cell(spec.numbers, at, -1);
  if (chord_pressed({Key::enter, false, true}, repeats)) return CellIndex{at.row - 1, at.col};
  const bool enters = chord_pressed({Key::enter}, repeats) || chord_pressed({Key::keypad_enter}, repeats);
  if (!enters) return std::nullopt;
  return CellIndex{at.row + 1, std::exchange(state.tabbed_from, std::nullopt).value_or(at.col)};
}

void paste_key(Ui& ui, const NumberGridSpec& spec, NumberGridState& state, NumberGridResult& result) {
  const std::string text = ui.clipboard_text();
  if (state.typed && text.find_first_of("\t\n") == std::string::npos) {
    state.complaint.clear();
    return insert_text(*state.typed, text);
  }
  result.numbers = pasted_numbers(spec, state, text);
}

/// Handles the keys while no cell is being typed into.
void cell_keys(Ui& ui, const NumberGridSpec& spec, NumberGridState& state, NumberGridResult& result) {
  if (chord_pressed({Key::z, true}, repeats)) result.undo = true;
  if (chord_pressed({Key::z, true, true}, repeats)) result.redo = true;
  if (chord_pressed({Key::a, true})) {
    state.anchor = {0, 0};
    state.at = {spec.numbers.rows - 1, spec.numbers.cols - 1};
  }
  if (chord_pressed({Key::c, true})) {
    const GridRange range = selection_of(state);
    ui.set_clipboard_text(
        matrix_text(spec.numbers.block(range.first_row, range.first_col, range.n_rows, range.n_cols),
                    MatrixFormat::spreadsheet));
  }
  if (chord_pressed({Key::del}) || chord_pressed({Key::backspace})) {
    result.numbers = with_block(spec.numbers, selection_of(state), [](int, int) { return 0.0F; });
  }
  if (chord_pressed({Key::f2})) {
    const std::string text = exact_text(spec.numbers(state.at.row, state.at.col));
    state.typed = TypedCell{text, text.size()};
  }
}

}  // namespace

std::optional<OwnedMatrix> pasted_numbers(const NumberGridSpec& spec, NumberGridState& state,
                                          std::string_view text) {
  const auto read = parse_matrix(text, spec.rules);
  if (!read) {
    state.complaint = "Nothing was pasted: " + read.error().message + ".";
    return std::nullopt;
  }
  GridRange range = selection_of(state);
  const bool is_whole = read->rows == spec.numbers.rows && read->cols == spec.numbers.cols;
  const bool is_one = read->values.size() == 1;
  if (is_whole) {
    range = {0, 0, read->rows, read->cols};
  } else if (!is_one) {
    range = {range.first_row, range.first_col, read->rows, read->cols};
  }
  if (range.first_row + range.n_rows > spec.numbers.rows ||
      range.first_col + range.n_cols > spec.numbers.cols) {
    state.complaint = "Nothing was pasted: the clipboard has " + std::to_string(read->rows) + " × " +
                      std::to_string(read->cols) + " numbers, which do not fit at row " +
                      std::to_string(range.first_row) + ", column " + std::to_string(range.first_col) +
                      " of " + std::to_string(spec.numbers.rows) + " × " + std::to_string(spec.numbers.cols) +
                      "; select a cell farther up or left, or copy fewer.";
    return std::nullopt;
  }
  state.complaint.clear();
  state.typed.reset();
  return with_block(spec.numbers, range,
                    [&](int row, int col) { return is_one ? read->values[0] : read->at(row, col); });
}

GridRange selection_of(const NumberGridState& state) {
  const auto [top, bottom] = std::minmax(state.at.row, state.anchor.row);
  const auto [left, right] = std::minmax(state.at.col, state.anchor.col);
  return {top, left, bottom - top + 1, right - left + 1};
}

bool finish_typing(const NumberGridSpec& spec, NumberGridState& state, NumberGridResult& result) {
  if (!state.typed) return true;
  const auto number = parse_matrix_number(state.typed->text, spec.rules);
  if (!number) {
    state.complaint = number.error().message + ". Press Escape to discard it.";
    return false;
  }
  const GridRange cell{state.at.row, state.at.col, 1, 1};
  result.numbers = with_block(spec.numbers, cell, [&](int, int) { return *number; });
  state.typed.reset();
  state.complaint.clear();
  return true;
}

namespace {

/// Handles the keys of a grid that has the keyboard focus.
void number_grid_keys(Ui& ui, const NumberGridSpec& spec, NumberGridState& state, NumberGridResult& result) {
  take_letters(ui, state);
  if (chord_pressed({Key::v, true})) return paste_key(ui, spec, state, result);
  if (state.typed && edit_keys(*state.typed)) {
    state.complaint.clear();
    return;
  }
  bool selects = false;
  if (const auto cell = moved_by_keys(spec, state, selects)) {
    if (finish_typing(spec, state, result)) go_to_cell(spec, state, *cell, selects);
    return;
  }
  if (!state.typed) cell_keys(ui, spec, state, result);
}

/// The places of a grid's cells in ImGui pixels.
struct GridLayout {
  ImVec2 corner;    ///< the upper left corner of the visible part
  ImVec2 visible;   ///< the size of the visible part
  ImVec2 cells;     ///< the corner of cell (0, 0), which may be scrolled out of view
  ImVec2 cell;      ///< the size of a cell
  float left, top;  ///< the width and height of the labels, which do not scroll

  ImVec2 min_of(CellIndex at) const {
    return {cells.x + static_cast<float>(at.col) * cell.x, cells.y + static_cast<float>(at.row) * cell.y};
  }
  CellIndex cell_at(ImVec2 point) const {
    return {static_cast<int>(std::floor((point.y - cells.y) / cell.y)),
            static_cast<int>(std::floor((point.x - cells.x) / cell.x))};
  }
  bool is_in_cells(ImVec2 point) const {
    return point.x >= corner.x + left && point.y >= corner.y + top && point.x < corner.x + visible.x &&
           point.y < corner.y + visible.y;
  }
};

GridLayout layout_of(const Ui& ui, const NumberGridSpec& spec, ImVec2 visible) {
  float labels = ui.px(32);
  constexpr int measured = 200;  ///< longer labels after these rows may be cut
  for (int row = 0; row < std::min(spec.numbers.rows, measured); ++row) {
    labels = std::max(labels,
                      paint::text_width(ui, spec.row_label(row), Font::sans, text_size::small) + ui.px(16));
  }
  GridLayout places{};
  places.corner = ImGui::GetCursorScreenPos();
  places.corner.x += ImGui::GetScrollX();
  places.corner.y += ImGui::GetScrollY();
  places.visible = visible;
  places.left = std::min(labels, ui.px(140));
  places.top = ui.px(24);
  places.cell = {ui.px(84), ui.px(26)};
  places.cells = {places.corner.x + places.left - ImGui::GetScrollX(),
                  places.corner.y + places.top - ImGui::GetScrollY()};
  return places;
}

/// Formats a number with five digits. A cell is edited with the whole number.
std::string short_number(float value) {
  if (!std::isfinite(value)) return value < 0.0F ? "−∞" : exact_text(value);
  std::array<char, 32> text{};
  constexpr int digits = 5;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  std::string shown = error == std::errc{} ? std::string(text.data(), end) : std::string();
  if (shown.starts_with('-')) shown.replace(0, 1, "−");
  return shown;
}

void paint_cell(Ui& ui, const NumberGridSpec& spec, const NumberGridState& state, const GridLayout& places,
                CellIndex cell) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 min = places.min_of(cell);
  const ImVec2 max(min.x + places.cell.x, min.y + places.cell.y);
  const float value = spec.numbers(cell.row, cell.col);
  Color ground = ui.theme().panel;
  if (spec.tint) ground = spec.tint(value).value_or(ground);
  const bool selected = selection_of(state).contains(cell.row, cell.col);
  list.AddRectFilled(min, max, paint::ink(ground));
  if (selected && state.at != state.anchor)
    list.AddRectFilled(min, max, paint::ink(with_opacity(ui.theme().accent, 0.18F)));
  paint::text(ui, list, max.x - ui.px(8), (min.y + max.y) / 2.0F, short_number(value), Font::mono,
              text_size::mono, readable_on(ground), paint::Align::right);
  list.AddRect(min, {max.x + 1.0F, max.y + 1.0F}, paint::ink(ui.theme().line));
}

/// Paints the cell that keys act on over its neighbours, as wide as the typed text needs.
void paint_current(Ui& ui, const NumberGridState& state, const GridLayout& places) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 min = places.min_of(state.at);
  ImVec2 max(min.x + places.cell.x, min.y + places.cell.y);
  const bool is_bad = state.typed && !state.complaint.empty();
  const Color ring = is_bad ? ui.theme().warning : ui.theme().accent;
  if (state.typed) {
    const float margin = ui.px(8);
    const std::string_view text = state.typed->text;
    const float width = paint::text_width(ui, text, Font::mono, text_size::mono);
    max.x = std::max(max.x, min.x + width + 2.0F * margin);
    list.AddRectFilled(min, max, paint::ink(ui.theme().ground));
    const float middle = (min.y + max.y) / 2.0F;
    paint::text(ui, list, min.x + margin, middle, text, Font::mono, text_size::mono,
                is_bad ? ui.theme().warning : ui.theme().text);
    const float caret =
        min.x + margin +
        paint::text_width(ui, text.substr(0, state.typed->caret), Font::mono, text_size::mono);
    list.AddLine({caret, min.y + ui.px(5)}, {caret, max.y - ui.px(5)}, paint::ink(ui.theme().text), ui.px(1));
  }
  list.AddRect(min, max, paint::ink(ring), ui.px(2), 0, ui.px(2));
}

void paint_label(Ui& ui, const std::string& label, ImVec2 min, ImVec2 max, bool is_here) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, paint::ink(is_here ? ui.theme().accent_soft : ui.theme().control));
  const std::string shown = paint::fitted(ui, label, Font::sans, text_size::small, max.x - min.x - ui.px(12));
  paint::text(ui, list, max.x - ui.px(8), (min.y + max.y) / 2.0F, shown, Font::sans, text_size::small,
              is_here ? ui.theme().text : ui.theme().quiet, paint::Align::right);
}

void paint_labels(Ui& ui, const NumberGridSpec& spec, const NumberGridState& state, const GridLayout& places,
                  const GridRange& visible) {
  const float left = places.corner.x + places.left;
  const float top = places.corner.y + places.top;
  ImGui::PushClipRect({places.corner.x, top}, {left, places.corner.y + places.visible.y}, true);
  for (int row = visible.first_row; row < visible.first_row + visible.n_rows; ++row) {
    const float y = places.min_of({row, 0}).y;
    paint_label(ui, spec.row_label(row), {places.corner.x, y}, {left, y + places.cell.y},
                row == state.at.row);
  }
  ImGui::PopClipRect();
  ImGui::PushClipRect({left, places.corner.y}, {places.corner.x + places.visible.x, top}, true);
  for (int col = visible.first_col; col < visible.first_col + visible.n_cols; ++col) {
    const float x = places.min_of({0, col}).x;
    paint_label(ui, spec.col_label(col), {x, places.corner.y}, {x + places.cell.x, top}, col == state.at.col);
  }
  ImGui::PopClipRect();
}

void paint_grid(Ui& ui, const NumberGridSpec& spec, const NumberGridState& state, const GridLayout& places) {
  const ImVec2 end(places.corner.x + places.visible.x, places.corner.y + places.visible.y);
  const CellIndex first = places.cell_at({places.corner.x + places.left, places.corner.y + places.top});
  const CellIndex last = places.cell_at(end);
  const int row = std::max(first.row, 0), col = std::max(first.col, 0);
  const GridRange visible{row, col, std::min(last.row + 1, spec.numbers.rows) - row,
                          std::min(last.col + 1, spec.numbers.cols) - col};
  ImGui::PushClipRect({places.corner.x + places.left, places.corner.y + places.top}, end, true);
  for (int row = visible.first_row; row < visible.first_row + visible.n_rows; ++row)
    for (int col = visible.first_col; col < visible.first_col + visible.n_cols; ++col)
      paint_cell(ui, spec, state, places, {row, col});
  paint_current(ui, state, places);
  ImGui::PopClipRect();
  paint_labels(ui, spec, state, places, visible);
}

/// Changes a number that the mouse drags, by one step for each pixel from where it was pressed.
void drag_number(const NumberGridSpec& spec, const NumberGridState& state, NumberGridResult& result) {
  constexpr float slow = 0.1F;
  const float moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0.0F).x;
  const float step = state.dragged->step * (ImGui::GetIO().KeyAlt ? slow : 1.0F);
  const CellIndex cell = state.dragged->cell;
  const float from = state.dragged->from;
  const float value = from + std::round(moved) * step;
  if (!std::isfinite(value) || value == spec.numbers(cell.row, cell.col)) return;
  // Rounds to as few digits as distinguish the steps.
  const double unit = std::pow(10.0, std::floor(std::log10(static_cast<double>(step)) + 1e-6));
  OwnedMatrix numbers(spec.numbers);
  const auto rounded = static_cast<float>(std::round(static_cast<double>(value) / unit) * unit);
  numbers.at(cell.row, cell.col) = value == from ? from : rounded;
  if (numbers.at(cell.row, cell.col) != spec.numbers(cell.row, cell.col)) result.numbers = std::move(numbers);
}

void grid_mouse(const NumberGridSpec& spec, NumberGridState& state, const GridLayout& places,
                NumberGridResult& result) {
  const ImGuiIO& io = ImGui::GetIO();
  const CellIndex under = places.cell_at(io.MousePos);
  if (ImGui::IsItemClicked(ImGuiMouseButton_Left)) {
    state.takes_focus = true;
    if (!places.is_in_cells(io.MousePos) || !finish_typing(spec, state, result)) return;
    const bool is_cell = under.row < spec.numbers.rows && under.col < spec.numbers.cols;
    if (!is_cell) return;
    state.tabbed_from.reset();
    go_to_cell(spec, state, under, io.KeyShift);
    const float value = spec.numbers(under.row, under.col);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      const std::string text = exact_text(value);
      state.typed = TypedCell{text, text.size()};
    } else if (!io.KeyShift && std::isfinite(value) && !result.numbers) {
      state.dragged = DraggedNumber{under, value, spec.drag_step};
    }
    return;
  }
  if (!ImGui::IsItemActive()) {
    state.dragged.reset();
  } else if (io.KeyShift && !state.dragged && !state.typed) {
    go_to_cell(spec, state, under, true);
  } else if (state.dragged && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    drag_number(spec, state, result);
  }
}

void scroll_to_cell(NumberGridState& state, const GridLayout& places) {
  if (!std::exchange(state.scrolls_to_cell, false)) return;
  const ImVec2 min = places.min_of(state.at);
  const float left = places.corner.x + places.left;
  const float top = places.corner.y + places.top;
  const float right = places.corner.x + places.visible.x - places.cell.x;
  const float bottom = places.corner.y + places.visible.y - places.cell.y;
  if (min.x < left || min.x > right)
    ImGui::SetScrollX(ImGui::GetScrollX() + (min.x < left ? min.x - left : min.x - right));
  if (min.y < top || min.y > bottom)
    ImGui::SetScrollY(ImGui::GetScrollY() + (min.y < top ? min.y - top : min.y - bottom));
}

void stay_within(const NumberGridSpec& spec, NumberGridState& state) {
  for (CellIndex* cell : {&state.at, &state.anchor}) {
    cell->row = std::clamp(cell->row, 0, spec.numbers.rows - 1);
    cell->col = std::clamp(cell->col, 0, spec.numbers.cols - 1);
  }
}

}  // namespace

NumberGridResult number_grid(Ui& ui, const char* id, const NumberGridSpec& spec, NumberGridState& state) {
  NumberGridResult result;
  if (spec.numbers.empty()) return result;
  stay_within(spec, state);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  // The grid handles the keys itself. ImGui would move the focus from item to item with them.
  ImGui::BeginChild(
      id, spec.size, false,
      ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoMove);
  ImGui::PopStyleVar();
  if (std::exchange(state.takes_focus, false)) ImGui::SetWindowFocus();
  const ImVec2 origin = ImGui::GetCursorPos();
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const ImVec2 visible(ImGui::GetWindowWidth() - (ImGui::GetScrollMaxY() > 0.0F ? bar : 0.0F),
                       ImGui::GetWindowHeight() - (ImGui::GetScrollMaxX() > 0.0F ? bar : 0.0F));
  const GridLayout places = layout_of(ui, spec, visible);
  const bool has_keyboard = ImGui::IsWindowFocused();
  // ImGui uses Escape to leave the child window before this frame.
  if (state.typed && chord_pressed({Key::escape})) {
    state.typed.reset();
    state.complaint.clear();
    state.takes_focus = true;
  }
  ImGui::SetCursorScreenPos(places.corner);
  invisible_button("cells", visible);
  if (state.frames_to_ignore > 0) {
    --state.frames_to_ignore;
    ui.wake_in(0.0);
  } else if (has_keyboard) {
    number_grid_keys(ui, spec, state, result);
  } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    finish_typing(spec, state, result);  // A click elsewhere takes over what was typed.
  }
  grid_mouse(spec, state, places, result);
  paint_grid(ui, spec, state, places);
  scroll_to_cell(state, places);
  ImGui::SetCursorPos({origin.x, origin.y});
  ImGui::Dummy({places.left + static_cast<float>(spec.numbers.cols) * places.cell.x + 1.0F,
                places.top + static_cast<float>(spec.numbers.rows) * places.cell.y + 1.0F});
  end_child();
  return result;
}

}  // namespace headscope
