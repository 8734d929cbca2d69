#pragma once

#include <string>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/session/session.h"
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

}  // namespace headscope
