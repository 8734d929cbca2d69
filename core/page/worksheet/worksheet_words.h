#pragma once

#include <string>

#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Explains why a worksheet of this stage, which the pass must have, could not be filled in, because nothing
/// computes the stage, and says what to do. Empty if the sheet provides everything that is needed.
std::string reason_unsolvable(const Trace& trace, const StageId& stage);

/// Explains why a sheet of the covered cells would have no empty cell, and says what to do. Empty if it has
/// one.
std::string reason_nothing_empty(const PageInputs& in);

/// The formula of a stage with the symbols that the titles of the maps use: "softmax(M) over keys".
std::string formula_in_symbols(const Trace& trace, const StageId& stage);

/// The text of the task. `is_way` is for a derivation alone, whose frames are filled in.
std::string task_text(const PageInputs& in, const StageId& stage, int decimals, bool is_way);

/// Describes which cells a mask hides.
std::string hidden_cells_text(const Trace& trace, const StageId& stage);

/// Describes what hatched cells of scores, or of shares of attention, contain.
std::string hatch_text(bool are_shares);

/// The largest paper that is ever suggested, in points.
inline constexpr int long_side_of_a2 = 1684;
inline constexpr int short_side_of_a2 = 1191;

/// The space that a worksheet needs, including its margins, and why it needs more than it has.
struct SheetNeeds {
  FigureSize paper;
  std::string problem;
  float width = 0.0F, height = 0.0F;
};
std::string does_not_fit_text(const PageInputs& in, const StageId& stage, const SheetNeeds& needs);

}  // namespace headscope
