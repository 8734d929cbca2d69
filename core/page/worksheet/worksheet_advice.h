#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/page_inputs.h"
#include "core/session/action.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// A change of the session or of the paper that makes a worksheet possible.
struct WorksheetAdvice {
  std::string label;  ///< The label of its button.
  std::vector<Action> actions;
  std::optional<FigureSize> paper;
};

/// Suggestions for a worksheet that is impossible with these inputs on this paper. Each has been verified.
/// Empty if the worksheet is possible.
std::vector<WorksheetAdvice> worksheet_advice(const PageInputs& in, const FigureSize& paper,
                                              const MeasureText& measure);

}  // namespace headscope
