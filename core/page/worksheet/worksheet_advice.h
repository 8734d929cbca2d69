#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/page_inputs.h"
#include "core/session/action.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// A way to a worksheet where there is none yet: what is to be changed, or another paper.
struct WorksheetAdvice {
  std::string label;  ///< as a button says it
  std::vector<Action> actions;
  std::optional<FigureSize> paper;
};

/// What would help where the worksheet of these inputs does not come about on this paper. Each was tried:
/// with it, there is one. Empty where the worksheet is there already.
std::vector<WorksheetAdvice> worksheet_advice(const PageInputs& in, const FigureSize& paper,
                                              const MeasureText& measure);

}  // namespace headscope
