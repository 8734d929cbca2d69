#include "app/widgets/number_grid_keys.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "app/imgui/keys.h"
#include "core/exact_text.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr std::size_t longest_typed = 60;  ///< bytes

OwnedMatrix with_block(const MatrixView& numbers, const GridRange& range,
                       const std::function<float(int, int)>& value) {
  OwnedMatrix changed = copy_of(numbers);
  for (int row = 0; row < range.n_rows; ++row)
    for (int col = 0; col < range.n_cols; ++col)
      changed.at(range.first_row + row, range.first_col + col) = value(row, col);
  return changed;
}

void move_caret(TypedCell& typed, int step) {
  const auto is_inner = [&](std::size_t i) {
    return i < typed.text.size() && (static_cast<unsigned char>(typed.text[i]) & 0xC0U) == 0x80U;
  };
  do {
    if (step < 0 ? typed.caret == 0 : typed.caret >= typed.text.size()) return;
    typed.caret = step < 0 ? typed.caret - 1 : typed.caret + 1;
  } while (is_inner(typed.caret));
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

/// The next or previous cell, continuing in the neighbouring row at the end of a row.
GridCell next_cell(const MatrixView& numbers, GridCell cell, int step) {
  cell.col += step;
  if (cell.col >= numbers.cols && cell.row + 1 < numbers.rows) return {cell.row + 1, 0};
  if (cell.col < 0 && cell.row > 0) return {cell.row - 1, numbers.cols - 1};
  return cell;
}

/// The cell that a key moves to. Empty if no such key was pressed.
std::optional<GridCell> moved_by_keys(const NumberGridSpec& spec, NumberGridState& state, bool& selects) {
  const GridCell at = state.at;
  constexpr int page = 10;
  const std::array<std::pair<Key, GridCell>, 8> moves{{{Key::up, {at.row - 1, at.col}},
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
  if (chord_pressed({Key::enter, false, true}, repeats)) return GridCell{at.row - 1, at.col};
  const bool enters = chord_pressed({Key::enter}, repeats) || chord_pressed({Key::keypad_enter}, repeats);
  if (!enters) return std::nullopt;
  return GridCell{at.row + 1, std::exchange(state.tabbed_from, std::nullopt).value_or(at.col)};
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
    ui.set_clipboard_text(matrix_text(selected_numbers(spec, state), MatrixFormat::spreadsheet));
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

OwnedMatrix copy_of(const MatrixView& numbers) {
  OwnedMatrix copy(numbers.rows, numbers.cols);
  for (int row = 0; row < numbers.rows; ++row) {
    const auto from = numbers.row(row);
    std::ranges::copy(from, copy.values.begin() + static_cast<std::ptrdiff_t>(row) * numbers.cols);
  }
  return copy;
}

MatrixView selected_numbers(const NumberGridSpec& spec, const NumberGridState& state) {
  const GridRange range = selection_of(state);
  return spec.numbers.block(range.first_row, range.first_col, range.n_rows, range.n_cols);
}

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

void go_to_cell(const NumberGridSpec& spec, NumberGridState& state, GridCell cell, bool selects) {
  state.at = {std::clamp(cell.row, 0, spec.numbers.rows - 1), std::clamp(cell.col, 0, spec.numbers.cols - 1)};
  if (!selects) state.anchor = state.at;
  state.scrolls_to_cell = true;
}

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

}  // namespace headscope
