#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/ui.h"
#include "core/io/matrix_text.h"
#include "core/tensor/view.h"

namespace headscope {

struct GridCell {
  int row = 0, col = 0;
  bool operator==(const GridCell&) const = default;
};

/// A cell that is typed into.
struct TypedCell {
  std::string text;
  std::size_t caret = 0;  ///< a byte of the text
};

/// A number that the mouse drags.
struct DraggedNumber {
  GridCell cell;
  float from = 0.0F;
  float step = 0.01F;  ///< for a pixel
};

/// What a grid remembers from frame to frame.
struct NumberGridState {
  GridCell at;                     ///< the cell that keys act on
  GridCell anchor;                 ///< the selection is between this cell and that one
  std::optional<int> tabbed_from;  ///< the column from which Tab has gone on; Enter goes back to it
  std::optional<TypedCell> typed;  ///< of `at`; kept until it is a number, or Escape gives it up
  std::string complaint;           ///< why what was typed or pasted is not taken
  std::optional<DraggedNumber> dragged;
  bool takes_keyboard = true;  ///< in the next frame
  int deaf_frames = 2;         ///< the letter of the key that opened it is not for a cell
  bool scrolls_to_cell = false;
};

/// What a grid shows.
struct NumberGridLook {
  MatrixView numbers;
  std::function<std::string(int)> row_label, col_label;
  std::function<std::optional<Color>(float)> tint;  ///< of a cell's ground; nothing: none
  MatrixTextRules rules;                            ///< what may be typed and pasted
  float drag_step = 0.01F;                          ///< for a pixel that a number is dragged
  ImVec2 size;                                      ///< ImGui pixels
};

/// What happened in it. The numbers are the whole matrix as it is to be; a drag changes them in each frame
/// while the mouse is held.
struct NumberGridAnswer {
  std::optional<OwnedMatrix> numbers;
  bool undo = false, redo = false;
};

/// A table of numbers that is edited as in a spreadsheet. A click selects a cell, Shift a range. What is
/// typed replaces the number; Enter goes down, Tab on, arrows anywhere; Delete puts 0; Ctrl+C copies the
/// selection with tabs, Ctrl+V pastes; dragging sideways changes a number, with Alt slowly. It scrolls, and
/// draws only the cells that are seen.
NumberGridAnswer number_grid(Ui& ui, const char* id, const NumberGridLook& look, NumberGridState& state);

/// The numbers with a pasted text in them: in place of all where it has their shape, else from the
/// selection's first cell on; a single number fills the selection. Where it does not fit, `state.complaint`
/// says why.
std::optional<OwnedMatrix> pasted_numbers(const NumberGridLook& look, NumberGridState& state,
                                          std::string_view text);

/// The cells between the anchor and the cell that keys act on.
MatrixView selected_numbers(const NumberGridLook& look, const NumberGridState& state);

}  // namespace headscope
