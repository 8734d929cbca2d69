#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// The animation along an arrow of the model's diagram after a step.
struct DiagramMotion {
  std::optional<StageId> last;  ///< the stage selected when the page was last drawn
  int frame = -1;               ///< the number of that frame, as ImGui counts
  StageId from, to;
  double begun = -1.0;  ///< ImGui's time in seconds; negative if nothing moves
  bool chosen = false;  ///< whether a part was chosen since the page was opened
};

/// The stages of the boxes in the model's diagram, each once, in the order in which the data reaches them.
/// Among the boxes of heads, only that of the selected head counts.
std::vector<StageId> diagram_way(const Trace& trace, const Selection& selection);

/// The place of the selected stage's box on the way: its index, or 0 if it is not on it.
std::size_t place_on_way(const Trace& trace, const Selection& selection, const std::vector<StageId>& way);

/// The stage of the box that the data reaches next (`by` is 1) or comes from (−1), wrapping around at the
/// ends.
StageId box_beside(const Trace& trace, const Selection& selection, int by);

}  // namespace headscope
