#include <algorithm>

#include "core/figure/diagram.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

template <class Holds>
std::optional<std::size_t> first_box(const Diagram& diagram, Holds holds) {
  const auto found = std::ranges::find_if(diagram.boxes, holds);
  if (found == diagram.boxes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - diagram.boxes.begin());
}

/// Whether the box shows the stage, the head to which it belongs, or its folded layer. The boxes of a head's
/// queries, keys and values stand for nothing else.
bool encloses(const DiagramBox& part, const StageId& stage) {
  if (part.stage == stage) return true;
  const bool is_part_of_head =
      info(part.stage.kind).scope == StageScope::head && part.stage.kind != StageKind::weights;
  if (is_part_of_head) return false;
  const StageScope scope = info(stage.kind).scope;
  const bool same_layer = part.stage.stack == stage.stack && part.stage.layer == stage.layer;
  if (part.is_folded) return same_layer && scope >= StageScope::layer;
  return same_layer && scope == StageScope::head && info(part.stage.kind).scope == StageScope::head &&
         part.stage.attention == stage.attention && part.stage.head == stage.head;
}

/// Whether a stage repeats the numbers of another stage under a second name, or is their sum with the
/// positions.
bool repeats_what_was_before(StageKind kind) {
  return kind == StageKind::input || info(kind).repeats;
}

/// The stage whose box stands for a stage. All stages from which latent keys and values are computed share
/// one box.
StageId boxed(const StageId& stage) {
  switch (stage.kind) {
    case StageKind::w_latent:
    case StageKind::latent_norm_gain:
    case StageKind::w_shared_key:
    case StageKind::latent:
    case StageKind::shared_key:
      return with_kind(stage, StageKind::normed_latent);
    default:
      return stage;
  }
}

/// The box, or the frame at which its paths begin and end.
Box joined_box(const Diagram& diagram, std::size_t box) {
  const Box& own = diagram.boxes[box].box;
  for (const DiagramFrame& frame : diagram.frames)
    if (!frame.is_layer && frame.box.contains({own.x, own.y})) return frame.box;
  return own;
}

bool touches(const Box& box, Point p) {
  constexpr float touching = 0.5F;
  return p.x >= box.x - touching && p.x <= box.right() + touching && p.y >= box.y - touching &&
         p.y <= box.bottom() + touching;
}

Point middle_of(const DiagramBox& part) {
  const Box& shown = part.picture.w > 0.0F ? part.picture : part.box;
  return {shown.x + shown.w / 2.0F, shown.y + shown.h / 2.0F};
}

/// The points of the arrow from one box to another. Null if there is none.
const std::vector<Point>* arrow_between(const Diagram& diagram, std::size_t from, std::size_t to) {
  const Box first = joined_box(diagram, from);
  const Box last = joined_box(diagram, to);
  for (const auto* routes : {&diagram.ways, &diagram.shortcuts}) {
    const auto found = std::ranges::find_if(*routes, [&](const DiagramRoute& route) {
      return touches(first, route.points.front()) && touches(last, route.points.back());
    });
    if (found != routes->end()) return &found->points;
  }
  return nullptr;
}

}  // namespace

std::optional<std::size_t> Diagram::box_at(Point point) const {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].box.contains(point)) return i;
  }
  return std::nullopt;
}

std::vector<Point> path_between(const Diagram& diagram, std::size_t from, std::size_t to) {
  std::vector<Point> way;
  if (from == to) return way;
  if (const auto* along = arrow_between(diagram, from, to)) {
    way = *along;
  } else if (const auto* against = arrow_between(diagram, to, from)) {
    way.assign(against->rbegin(), against->rend());
  } else {
    return way;
  }
  way.insert(way.begin(), middle_of(diagram.boxes[from]));
  way.push_back(middle_of(diagram.boxes[to]));
  return way;
}

std::optional<std::size_t> box_of_stage(const Trace& trace, const Diagram& diagram,
                                        const StageId& requested) {
  const StageId stage = boxed(requested);
  const Architecture& a = trace.architecture();
  const auto shows = [&](const DiagramBox& part) { return canonical(a, part.stage) == canonical(a, stage); };
  if (const auto exact = first_box(diagram, shows)) return exact;
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
