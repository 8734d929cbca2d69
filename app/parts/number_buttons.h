#pragma once

#include <optional>

#include "app/parts/frame.h"
#include "app/widgets/number_grid.h"

namespace headscope {

/// The commands on a whole matrix, in a row: what it is to be, where one was chosen. Copying changes nothing.
std::optional<OwnedMatrix> number_buttons(Frame& frame, const NumberGridLook& look, NumberGridState& state);

/// Reads a file of just this shape, of numbers as NumPy or as text, where its path was entered.
std::optional<OwnedMatrix> open_numbers_row(Frame& frame, const NumberGridLook& look, NumberEditorForm& form);

}  // namespace headscope
