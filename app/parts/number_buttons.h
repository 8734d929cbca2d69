#pragma once

#include <optional>

#include "app/parts/frame.h"
#include "app/widgets/number_grid.h"

namespace headscope {

/// A row of buttons with the commands on a whole matrix. Returns the new matrix if one was chosen. Copying
/// changes nothing.
std::optional<OwnedMatrix> number_buttons(Frame& frame, const NumberGridLook& look, NumberGridState& state);

/// A row that opens a file of numbers, in NumPy's format or as text. Returns the matrix once a path has been
/// entered; its shape must match.
std::optional<OwnedMatrix> open_numbers_row(Frame& frame, const NumberGridLook& look, NumberEditorForm& form);

}  // namespace headscope
