#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/ui.h"
#include "core/figure/heatmap.h"
#include "core/io/matrix_text.h"
#include "core/tensor/view.h"

namespace headscope {

/// A cell being edited.
struct TypedCell {
  std::string text;
  std::size_t caret = 0;  ///< a byte offset in the text
};

/// A number being dragged.
struct DraggedNumber {
  CellIndex cell;
  float from = 0.0F;
  float step = 0.01F;  ///< per pixel
};

/// The state of a grid between frames.
struct NumberGridState {
  CellIndex at;                    ///< the cell that keys act on
  CellIndex anchor;                ///< the other end of the selection
  std::optional<int> tabbed_from;  ///< the column where Tab was first pressed, to which Enter returns
  std::optional<TypedCell> typed;  ///< in `at`; kept until it is valid or Escape discards it
  std::string complaint;           ///< why the typed or pasted text was not accepted
  std::optional<DraggedNumber> dragged;
  bool takes_focus = true;   ///< in the next frame
  int frames_to_ignore = 2;  ///< ignores the key that opened the grid
  bool scrolls_to_cell = false;
};

/// The contents and rules of a grid.
struct NumberGridSpec {
  MatrixView numbers;
  std::function<std::string(int)> row_label, col_label;
  std::function<std::optional<Color>(float)> tint;  ///< the background of a cell; empty: none
  MatrixTextRules rules;                            ///< valid for typed and pasted numbers
  float drag_step = 0.01F;                          ///< for each pixel that a number is dragged
  ImVec2 size;                                      ///< in ImGui pixels
};

/// The edits of a frame. `numbers` is the complete new matrix. A drag changes it in every frame until the
/// mouse is released.
struct NumberGridResult {
  std::optional<OwnedMatrix> numbers;
  bool undo = false, redo = false;
};

/// A table of numbers that is edited as in a spreadsheet. A click selects a cell, and Shift extends the
/// selection. Typing replaces the number; Enter moves down, Tab moves right, and the arrow keys move in any
/// direction. Delete enters 0, Ctrl+C copies the selection separated by tabs, and Ctrl+V pastes. Dragging
/// sideways changes a number, slowly with Alt. The grid scrolls and draws only the visible cells.
NumberGridResult number_grid(Ui& ui, const char* id, const NumberGridSpec& spec, NumberGridState& state);

/// The numbers after pasting a text. A matrix of the same shape replaces all of them; any other is pasted
/// from the first selected cell onwards, and a single number fills the selection. If the text does not fit,
/// sets `state.complaint`.
std::optional<OwnedMatrix> pasted_numbers(const NumberGridSpec& spec, NumberGridState& state,
                                          std::string_view text);

/// A rectangular block of cells.
struct GridRange {
  int first_row, first_col, n_rows, n_cols;
  bool contains(int row, int col) const {
    return row >= first_row && row < first_row + n_rows && col >= first_col && col < first_col + n_cols;
  }
};
/// The cells between the anchor and the cell that keys act on.
GridRange selection_of(const NumberGridState& state);

/// Commits the typed number to the matrix. Returns false if the text is not a number; it then stays in its
/// cell.
bool finish_typing(const NumberGridSpec& spec, NumberGridState& state, NumberGridResult& result);

}  // namespace headscope
