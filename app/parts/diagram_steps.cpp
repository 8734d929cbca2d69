#include "app/parts/diagram_steps.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "app/parts/stage_picker.h"
#include "core/figure/diagram.h"

namespace headscope {
namespace {

/// The stage of the box that represents `stage` in the diagram in which the layer of `stage` is unfolded.
std::optional<StageId> stage_of_box(const Trace& trace, const StageId& stage) {
  const Diagram diagram = layout_diagram(trace, stage.layer);
  const auto box = box_of_stage(trace, diagram, stage);
  return box ? std::optional(diagram.boxes[*box].stage) : std::nullopt;
}

}  // namespace

StageId box_beside(const Trace& trace, const Selection& selection, int by) {
  const StageId chosen = selection.at(selection.stage);
  const auto steps = steps_of_pass(trace, false, selection.head);
  const auto n = static_cast<int>(steps.size());
  const auto here = stage_of_box(trace, chosen);
  if (n == 0 || !here) return chosen;
  auto place = static_cast<int>(std::ranges::find(steps, *here) - steps.begin());
  if (place == n) place = static_cast<int>(std::ranges::find(steps, chosen) - steps.begin()) % n;
  for (int i = 1; i < n; ++i) {
    const StageId& next = steps[static_cast<std::size_t>((place + i * by + i * n) % n)];
    const auto there = stage_of_box(trace, next);
    if (there && *there != *here) return *there;
  }
  return chosen;
}

}  // namespace headscope
