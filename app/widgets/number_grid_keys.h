#pragma once

#include "app/widgets/number_grid.h"

namespace headscope {

/// A rectangular block of cells.
struct GridRange {
  int first_row, first_col, n_rows, n_cols;
  bool contains(int row, int col) const {
    return row >= first_row && row < first_row + n_rows && col >= first_col && col < first_col + n_cols;
  }
};
/// The cells between the anchor and the cell that keys act on.
GridRange selection_of(const NumberGridState& state);

/// A copy of the numbers in a view.
OwnedMatrix copy_of(const MatrixView& numbers);

/// Handles the keys of a grid that has the keyboard focus.
void number_grid_keys(Ui& ui, const NumberGridSpec& spec, NumberGridState& state, NumberGridResult& result);

/// Commits the typed number to the matrix. Returns false if the text is not a number; it then stays in its
/// cell.
bool finish_typing(const NumberGridSpec& spec, NumberGridState& state, NumberGridResult& result);

/// Moves to a cell, clamped to the matrix. With `selects`, extends the selection to it; otherwise starts a
/// new one.
void go_to_cell(const NumberGridSpec& spec, NumberGridState& state, GridCell cell, bool selects);

}  // namespace headscope
