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
struct GivenOnSheet {
  std::vector<StageId> stages;  ///< Stages of the pass, in the order of the formula.
  /// Numbers that are not a stage: what a mask adds, what dropout keeps, and angles.
  std::vector<HeatmapSpec> tables;
  std::vector<std::string> notes;  ///< Whatever the formula leaves unsaid.
};
GivenOnSheet given_on_sheet(const Trace& trace, const StageId& stage, const PictureOptions& picture);

/// Names the numbers of a stage that an intervention set, so that they cannot be computed from anything on a
/// sheet: "weights given by an intervention". Empty if there are none.
std::string put_by_intervention(const Trace& trace, const StageId& stage);

/// The cells that a sheet must leave empty in a stage that it provides, because another page of the worksheet
/// asks for these numbers or for numbers that they would reveal.
struct AskedElsewhere {
  Cover cover;  ///< Covers cells of the given stage. Empty if there are none.
  /// The stages by which the empty cells can be computed, from the stage that the other page asks for to the
  /// given one. Only the given stage if the other page asks for the same numbers.
  std::vector<StageId> way;
};
AskedElsewhere asked_elsewhere(const PageInputs& in, const StageId& given);

/// Whether another page asks for numbers from which a derivation starts, or for numbers that they would
/// reveal.
bool is_asked_elsewhere(const PageInputs& in, const Explanation::Source& source);

}  // namespace headscope
