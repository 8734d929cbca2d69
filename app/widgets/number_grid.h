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

/// A cell that is being typed into.
struct TypedCell {
  std::string text;
  std::size_t caret = 0;  ///< a byte offset in the text
};

/// A number that the mouse drags.
struct DraggedNumber {
  GridCell cell;
  float from = 0.0F;
  float step = 0.01F;  ///< per pixel
};

/// What a grid remembers from frame to frame.
struct NumberGridState {
  GridCell at;                     ///< the cell that keys act on
  GridCell anchor;                 ///< the other end of the selection
  std::optional<int> tabbed_from;  ///< the column where Tab was first pressed, to which Enter returns
  std::optional<TypedCell> typed;  ///< in `at`; kept until it is a number or Escape discards it
  std::string complaint;           ///< why the typed or pasted text was not accepted
  std::optional<DraggedNumber> dragged;
  bool takes_keyboard = true;  ///< in the next frame
  int deaf_frames = 2;         ///< ignores the letter of the key that opened the grid
  bool scrolls_to_cell = false;
};

/// What a grid shows.
struct NumberGridLook {
  MatrixView numbers;
  std::function<std::string(int)> row_label, col_label;
  std::function<std::optional<Color>(float)> tint;  ///< the background of a cell; empty: none
  MatrixTextRules rules;                            ///< which numbers may be typed and pasted
  float drag_step = 0.01F;                          ///< for each pixel that a number is dragged
  ImVec2 size;                                      ///< in ImGui pixels
};

/// The result of a frame. The numbers are the whole new matrix. A drag changes them in every frame while the
/// mouse is held.
struct NumberGridAnswer {
  std::optional<OwnedMatrix> numbers;
  bool undo = false, redo = false;
};

/// A table of numbers that is edited as in a spreadsheet. A click selects a cell, and Shift extends the
/// selection. Typing replaces the number; Enter moves down, Tab moves right, and the arrow keys move in any
/// direction. Delete enters 0, Ctrl+C copies the selection separated by tabs, and Ctrl+V pastes. Dragging
/// sideways changes a number, slowly with Alt. The grid scrolls and draws only the visible cells.
NumberGridAnswer number_grid(Ui& ui, const char* id, const NumberGridLook& look, NumberGridState& state);

/// The numbers with a pasted text in them. The text replaces all of them if it has their shape; otherwise it
/// is pasted from the first selected cell onwards. A single number fills the selection. If the text does not
/// fit, `state.complaint` says why.
std::optional<OwnedMatrix> pasted_numbers(const NumberGridLook& look, NumberGridState& state,
                                          std::string_view text);

/// The cells between the anchor and the cell that keys act on.
MatrixView selected_numbers(const NumberGridLook& look, const NumberGridState& state);

}  // namespace headscope
