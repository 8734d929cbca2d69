#pragma once

#include <string>

#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Why a worksheet of this stage could not be filled in, because nothing computes the stage, and what to do.
/// Empty if it could. The pass must have the stage.
std::string reason_unsolvable(const Trace& trace, const StageId& stage);

/// Why a sheet of the covered cells would have no empty cell, and what to do. Empty if it has one.
std::string reason_nothing_empty(const PageInputs& in);

/// The formula of a stage in the symbols of the map titles: "softmax(M) over keys".
std::string formula_in_symbols(const Trace& trace, const StageId& stage);

/// The text of the task. `is_way` if the exercise is a derivation alone, whose frames are filled in.
std::string task_text(const PageInputs& in, const StageId& stage, int decimals, bool is_way);

/// Describes which cells a mask hides.
std::string hidden_cells_text(const Trace& trace, const StageId& stage);

/// Describes what hatched cells of scores, or of shares of attention, contain.
std::string hatch_text(bool are_shares);

/// The largest paper that is suggested, in points.
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
