#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/page_inputs.h"
#include "core/session/action.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// A change, either of the session or of the paper, that makes a worksheet possible.
struct WorksheetAdvice {
  std::string label;  ///< The label of its button.
  std::vector<Action> actions;
  std::optional<FigureSize> paper;
};

/// Suggestions for a worksheet that cannot be made from these inputs on this paper. Each of them has been
/// tried and makes it possible. Empty if the worksheet is already possible.
std::vector<WorksheetAdvice> worksheet_advice(const PageInputs& in, const FigureSize& paper,
                                              const MeasureText& measure);

}  // namespace headscope
