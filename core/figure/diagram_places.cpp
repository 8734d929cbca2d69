#include <algorithm>

#include "core/figure/diagram.h"
#include "core/trace/wiring.h"

namespace headscope {
namespace {

template <class Holds>
std::optional<std::size_t> first_box(const Diagram& diagram, Holds holds) {
  const auto found = std::ranges::find_if(diagram.boxes, holds);
  if (found == diagram.boxes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - diagram.boxes.begin());
}

/// The box that shows a stage, the head that it is a part of, or the folded layer.
bool encloses(const DiagramBox& part, const StageId& stage) {
  if (part.stage == stage) return true;
  const StageScope scope = info(stage.kind).scope;
  const bool same_layer = part.stage.stack == stage.stack && part.stage.layer == stage.layer;
  if (part.folds) return same_layer && scope >= StageScope::layer;
  return same_layer && scope == StageScope::head && info(part.stage.kind).scope == StageScope::head &&
         part.stage.attention == stage.attention && part.stage.head == stage.head;
}

/// A second name for the numbers of another stage, or their sum with the positions.
bool repeats_what_was_before(StageKind kind) {
  return kind == StageKind::input || info(kind).repeats;
}

}  // namespace

std::optional<std::size_t> box_of_stage(const Trace& trace, const Diagram& diagram, const StageId& stage) {
  const auto own = first_box(diagram, [&](const DiagramBox& part) { return encloses(part, stage); });
  if (own) return own;
  if (repeats_what_was_before(stage.kind)) {
    const std::vector<StageId> inputs = inputs_of(trace, stage);
    return inputs.empty() ? std::nullopt : box_of_stage(trace, diagram, inputs.back());
  }
  return first_box(diagram, [&](const DiagramBox& part) {
    const std::vector<StageId> inputs = inputs_of(trace, part.stage);
    return std::ranges::find(inputs, stage) != inputs.end();
  });
}

}  // namespace headscope
