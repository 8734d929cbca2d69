#pragma once

#include <string>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// What a worksheet gives beside its stage's formula.
struct GivenOnSheet {
  std::vector<StageId> stages;  ///< of the pass, in the order of the formula
  std::vector<HeatmapSpec>
      tables;  ///< numbers that are no stage: what a mask adds, what dropout keeps, angles
  std::vector<std::string> notes;  ///< what the formula leaves unsaid
};
GivenOnSheet given_on_sheet(const Trace& trace, const StageId& stage, const PictureOptions& picture);

/// What of a stage an intervention put there from elsewhere, so that nothing on a sheet could give it:
/// "weights given by an intervention"; empty where there is nothing.
std::string put_by_intervention(const Trace& trace, const StageId& stage);

}  // namespace headscope
