#pragma once

#include <string>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/page/page_inputs.h"
#include "core/session/session.h"
#include "core/trace/explain.h"
#include "core/trace/trace.h"

namespace headscope {

/// What a worksheet provides in addition to the formula of its stage.
struct SheetGivens {
  std::vector<StageId> stages;  ///< Stages of the pass, in the order of the formula.
  /// Numbers that are not a stage: what a mask adds, what dropout keeps, and angles.
  std::vector<HeatmapSpec> tables;
  std::vector<std::string> notes;  ///< What the formula does not say.
};
SheetGivens sheet_givens(const Trace& trace, const StageId& stage, const PictureOptions& picture);

/// Names the numbers of a stage that an intervention set, which cannot be computed from the sheet: "weights
/// given by an intervention". Empty if there are none.
std::string intervention_origin(const Trace& trace, const StageId& stage);

/// The cells that a sheet must leave empty in a stage that it provides, because another page of the worksheet
/// asks for them or for numbers that they would reveal.
struct AskedElsewhere {
  Cover cover;  ///< Covers cells of the given stage. Empty if there are none.
  /// The stages that lead from the one that the other page asks for to the given one. Only the given stage if
  /// the two are the same.
  std::vector<StageId> way;
};
AskedElsewhere asked_elsewhere(const PageInputs& in, const StageId& given);

/// Whether another page asks for numbers from which a derivation starts, or for numbers that they would
/// reveal.
bool is_asked_elsewhere(const PageInputs& in, const Explanation::Source& source);

}  // namespace headscope
