#pragma once

#include <vector>

#include "core/figure/diagram.h"

namespace headscope {

/// Where the encoder's output runs between the columns of a diagram.
struct MemoryLane {
  Point from;             ///< The point at which it leaves the encoder.
  std::vector<Point> to;  ///< The points at which the decoder's layers read it, from top to bottom.
  float lane = 0.0F;      ///< The x coordinate of the lane.
  float margin = 0.0F;    ///< The margin of the diagram below the lane.
};

/// Connects the encoder's output with every layer of the decoder by a vertical lane from which paths branch
/// off.
void connect_memory(const MemoryLane& at, Diagram& diagram);

}  // namespace headscope
