#include "core/figure/diagram_memory.h"

#include <algorithm>

namespace headscope {
namespace {

/// Writes a label beside the longer part of the lane, above or below the point where the memory enters it.
/// Writes nothing if that part is too short for the label.
void name_the_memory(float lane, float from, float first, float last, Diagram& diagram) {
  constexpr float size = 11.0F;
  constexpr float room_for_words = 110.0F;
  const float above = from - std::min(first, from);
  const float below = std::max(last, from) - from;
  if (std::max(above, below) < room_for_words) return;
  const float y = above >= below ? from - above / 2.0F : from + below / 2.0F;
  Label label;
  label.text = "keys and values";
  label.at = {lane - 5.0F, y};
  label.size = size;
  label.horizontal = HorizontalAnchor::center;
  label.vertical = VerticalAnchor::bottom;
  label.degrees = 90.0F;
  diagram.labels.push_back(label);
}

}  // namespace

void connect_memory(const MemoryLane& at, Diagram& diagram) {
  constexpr float below = 14.0F;
  const Point from = at.from;
  const float lane = at.lane;
  const Point corner{lane, from.y + below};
  diagram.height = std::max(diagram.height, corner.y + at.margin);
  const std::vector<Point>& memories = at.to;
  if (memories.empty()) return;
  const Point first = memories.front();
  const Point last = memories.back();
  std::vector<Point> trunk{from, {from.x, corner.y}, corner};
  const auto end_lane_at = [&](Point to) {
    trunk.insert(trunk.end(), {{lane, to.y}, to});
    diagram.shortcuts.push_back({trunk});
    trunk = {corner};
  };
  if (first.y < corner.y) end_lane_at(first);
  if (last.y > corner.y) end_lane_at(last);
  for (const Point to : memories) {
    const bool at_an_end = (to == first && first.y < corner.y) || (to == last && last.y > corner.y);
    if (!at_an_end) diagram.shortcuts.push_back({{{lane, to.y}, to}});
  }
  name_the_memory(lane, corner.y, first.y, last.y, diagram);
}

}  // namespace headscope
