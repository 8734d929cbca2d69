#pragma once

#include <optional>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The row of the selected token in a stage. Empty if none is selected, or if the rows of the stage are not
/// those of its text.
std::optional<int> followed_row(const Trace& trace, const Selection& selection, const StageId& stage);

/// Shows the model's diagram centred in the width, or at its own width if that is greater. The selected stage
/// and its sources are marked, the row of the selected token stands out in all pictures, and for a difference
/// each part says how many of its rows changed. Above the diagram are the shape, the place and the formula of
/// the selected stage.
Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
