#include "app/parts/diagram_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "app/parts/stage_picker.h"
#include "core/figure/diagram.h"

namespace headscope {
namespace {

/// Finds the boxes of stages. Each diagram is laid out once.
class BoxFinder {
 public:
  BoxFinder(const Trace& trace, int head) : trace_(trace), head_(head) {}

  /// The box that stays the same when its own stage is looked up again. Several stages may share a box, which
  /// is named after one of them.
  std::optional<StageId> settled_box(const StageId& stage) {
    constexpr int most_lookups = 4;
    std::optional<StageId> box = stage_of_box(stage);
    for (int i = 0; i < most_lookups && box; ++i) {
      const auto again = stage_of_box(*box);
      if (again == box) return box;
      box = again;
    }
    return box;
  }

 private:
  /// The stage of the box that represents `stage` in the diagram in which the layer of `stage` is unfolded.
  std::optional<StageId> stage_of_box(const StageId& stage) {
    auto found = diagrams_.find(stage.layer);
    if (found == diagrams_.end())
      found = diagrams_.emplace(stage.layer, layout_diagram(trace_, stage.layer, head_)).first;
    const auto box = box_of_stage(trace_, found->second, stage);
    return box ? std::optional(found->second.boxes[*box].stage) : std::nullopt;
  }

  const Trace& trace_;
  int head_;
  std::map<int, Diagram> diagrams_;  ///< by the layer that is unfolded
};

}  // namespace

std::vector<StageId> diagram_way(const Trace& trace, const Selection& selection) {
  BoxFinder finder(trace, selection.head);
  std::vector<StageId> way;
  for (const StageId& step : steps_of_pass(trace, false, selection.head)) {
    const auto box = finder.settled_box(step);
    if (box && std::ranges::find(way, *box) == way.end()) way.push_back(*box);
  }
  return way;
}

std::size_t place_on_way(const Trace& trace, const Selection& selection, const std::vector<StageId>& way) {
  const auto here = BoxFinder(trace, selection.head).settled_box(selection.at(selection.stage));
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
