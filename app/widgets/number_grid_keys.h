#pragma once

#include "app/widgets/number_grid.h"

namespace headscope {

/// A block of cells.
struct GridRange {
  int first_row, first_col, n_rows, n_cols;
  bool contains(int row, int col) const {
    return row >= first_row && row < first_row + n_rows && col >= first_col && col < first_col + n_cols;
  }
};
/// The cells between the anchor and the cell that keys act on.
GridRange selection_of(const NumberGridState& state);

/// A copy of what a view shows.
OwnedMatrix copy_of(const MatrixView& numbers);

/// The keys of a grid that has the keyboard.
void number_grid_keys(Ui& ui, const NumberGridLook& look, NumberGridState& state, NumberGridAnswer& answer);

/// Ends the typing: the number goes into the matrix. False where it is none, which stays in its cell.
bool finish_typing(const NumberGridLook& look, NumberGridState& state, NumberGridAnswer& answer);

/// Goes to a cell, cut to the matrix; the selection grows up to it, or begins anew there.
void go_to_cell(const NumberGridLook& look, NumberGridState& state, GridCell cell, bool selects);

}  // namespace headscope
