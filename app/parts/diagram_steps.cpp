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

/// The box that stays the same when its own stage is looked up again. Several stages may share a box, which
/// is named after one of them.
std::optional<StageId> settled_box(const Trace& trace, const StageId& stage) {
  constexpr int most_lookups = 4;
  std::optional<StageId> box = stage_of_box(trace, stage);
  for (int i = 0; i < most_lookups && box; ++i) {
    const auto again = stage_of_box(trace, *box);
    if (again == box) return box;
    box = again;
  }
  return box;
}

}  // namespace

std::vector<StageId> diagram_way(const Trace& trace, const Selection& selection) {
  std::vector<StageId> way;
  for (const StageId& step : steps_of_pass(trace, false, selection.head)) {
    const auto box = settled_box(trace, step);
    if (box && std::ranges::find(way, *box) == way.end()) way.push_back(*box);
  }
  return way;
}

std::size_t place_on_way(const Trace& trace, const Selection& selection, const std::vector<StageId>& way) {
  const auto here = settled_box(trace, selection.at(selection.stage));
  const auto found = here ? std::ranges::find(way, *here) : way.end();
  return found == way.end() ? 0 : static_cast<std::size_t>(found - way.begin());
}

StageId box_beside(const Trace& trace, const Selection& selection, int by) {
  const std::vector<StageId> way = diagram_way(trace, selection);
  if (way.empty()) return selection.at(selection.stage);
  const auto n = static_cast<int>(way.size());
  const auto here = static_cast<int>(place_on_way(trace, selection, way));
  return way[static_cast<std::size_t>((here + by % n + n) % n)];
}

}  // namespace headscope
