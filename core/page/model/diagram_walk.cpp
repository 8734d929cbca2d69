#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/figure/diagram.h"
#include "core/page/model/model_page.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// Finds the boxes of stages. The diagram of each layer is laid out once.
class BoxFinder {
 public:
  BoxFinder(const Trace& trace, int head) : trace_(trace), head_(head) {}

  /// The stage of the box that stays the same when it is looked up again: several stages may share a box,
  /// which is named after one of them.
  std::optional<StageId> settled_box(const StageId& stage) {
    constexpr int max_lookups = 4;
    std::optional<StageId> box = stage_of_box(stage);
    for (int i = 0; i < max_lookups && box; ++i) {
      const auto again = stage_of_box(*box);
      if (again == box) return box;
      box = again;
    }
    return box;
  }

 private:
  /// The stage of the box that represents `stage` in the diagram in which its layer is unfolded.
  std::optional<StageId> stage_of_box(const StageId& stage) {
    auto found = diagrams_.find(stage.layer);
    if (found == diagrams_.end())
      found = diagrams_.emplace(stage.layer, layout_diagram(trace_, stage.layer, head_)).first;
    const auto box = box_of_stage(trace_, found->second, stage);
    return box ? std::optional(found->second.boxes[*box].stage) : std::nullopt;
  }

  const Trace& trace_;
  int head_;
  std::map<int, Diagram> diagrams_;  ///< By the layer that is unfolded.
};

/// The stage of the box that represents a stage. Cached, because finding it lays out whole diagrams.
struct SettledBox {
  std::shared_ptr<const Trace> trace;
  int head = 0;
  StageId stage;
  bool operator==(const SettledBox&) const = default;

  using Answer = std::optional<StageId>;
  Answer answer() const { return BoxFinder(*trace, head).settled_box(stage); }
};

const std::vector<StageId>& way_of(const PageInputs& in, PageMemo& memo) {
  return *memo.results.now(DiagramPath{in.trace, in.session.selection.head});
}

bool is_in_layer(const StageId& stage) {
  return info(stage.kind).scope >= StageScope::layer;
}

}  // namespace

std::vector<StageId> steps_of_pass(const Trace& trace, bool parameters, int head) {
  std::vector<StageId> steps;
  const bool one_layer = trace.architecture().n_layers == 1;
  for (const StageId& id : trace.stages()) {
    const StageInfo& stage = info(id.kind);
    if (stage.is_parameter() != parameters || (one_layer && stage.repeats)) continue;
    if (stage.scope == StageScope::head && id.head != head) continue;
    steps.push_back(id);
  }
  return steps;
}

std::vector<StageId> DiagramPath::answer() const {
  BoxFinder finder(*trace, head);
  std::vector<StageId> way;
  for (const StageId& step : steps_of_pass(*trace, false, head)) {
    const auto box = finder.settled_box(step);
    if (box && std::ranges::find(way, *box) == way.end()) way.push_back(*box);
  }
  return way;
}

int n_diagram_steps(const PageInputs& in, PageMemo& memo) {
  return static_cast<int>(way_of(in, memo).size());
}

int step_of_stage(const PageInputs& in, PageMemo& memo, const StageId& stage) {
  const std::vector<StageId>& way = way_of(in, memo);
  const std::optional<StageId> box =
      *memo.results.now(SettledBox{in.trace, in.session.selection.head, stage});
  const auto found = box ? std::ranges::find(way, *box) : way.end();
  return found == way.end() ? 0 : static_cast<int>(found - way.begin()) + 1;
}

int first_step_of_layer(const PageInputs& in, PageMemo& memo, const StageId& stage) {
  const std::vector<StageId>& way = way_of(in, memo);
  const auto found = std::ranges::find_if(way, [&](const StageId& each) {
    return is_in_layer(each) && each.stack == stage.stack && each.layer == stage.layer;
  });
  return found == way.end() ? 0 : static_cast<int>(found - way.begin()) + 1;
}

int diagram_step(const PageInputs& in, PageMemo& memo) {
  const int step = in.session.diagram_step;
  if (step == 0) return step_of_stage(in, memo, in.at(in.session.selection.stage));
  return std::min(step, n_diagram_steps(in, memo));
}

std::optional<StageId> walked_stage(const PageInputs& in, PageMemo& memo) {
  const std::vector<StageId>& way = way_of(in, memo);
  const StageId selected = in.at(in.session.selection.stage);
  if (in.session.diagram_step > 0 && !way.empty())
    return way[static_cast<std::size_t>(diagram_step(in, memo)) - 1];
  return in.trace->has(selected) ? std::optional(selected) : std::nullopt;
}

int unfolded_layer(const PageInputs& in, PageMemo& memo) {
  const int step = in.session.diagram_step;
  const std::vector<StageId>& way = way_of(in, memo);
  if (step == 0 || way.empty()) return in.session.selection.layer;
  const auto here = way.begin() + diagram_step(in, memo);
  const auto before = std::find_if(std::make_reverse_iterator(here), way.rend(), is_in_layer);
  if (before != way.rend()) return before->layer;
  const auto after = std::find_if(here, way.end(), is_in_layer);
  return after == way.end() ? 0 : after->layer;
}

}  // namespace headscope
