#pragma once

#include <string>

#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Why nobody could fill in a worksheet of this stage, which the pass has, and what to do: nothing computes
/// it. Empty where the sheet gives all that it takes.
std::string reason_unsolvable(const Trace& trace, const StageId& stage);

/// Why a sheet of what is covered would have no empty cell, and what to do; empty where it has one.
std::string reason_nothing_empty(const PageInputs& in);

/// The formula of a stage with the symbols of what it takes, as the maps are titled: "softmax(M) over keys".
std::string formula_in_symbols(const Trace& trace, const StageId& stage);

/// What is to be done. `is_way`: of a derivation alone, whose frames are filled in.
std::string task_text(const PageInputs& in, const StageId& stage, int decimals, bool is_way);

/// Which cells a mask hides, in words.
std::string hidden_cells_text(const Trace& trace, const StageId& stage);

/// What hatched cells of scores, or of shares of attention, hold.
std::string hatch_text(bool are_shares);

/// The largest paper that anybody is told to print on, in points.
inline constexpr int long_side_of_a2 = 1684;
inline constexpr int short_side_of_a2 = 1191;

/// The room that a worksheet would take, with its margins, and why it needs more than it has.
struct SheetNeeds {
  FigureSize paper;
  std::string problem;
  float width = 0.0F, height = 0.0F;
};
std::string does_not_fit_text(const PageInputs& in, const StageId& stage, const SheetNeeds& needs);

}  // namespace headscope
