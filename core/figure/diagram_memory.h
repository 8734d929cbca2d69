#pragma once

#include <vector>

#include "core/figure/diagram.h"

namespace headscope {

/// Where the encoder's output runs between the columns of a diagram.
struct MemoryLane {
  Point from;             ///< where it leaves the encoder
  std::vector<Point> to;  ///< where the decoder's layers read it, from above to below
  float lane = 0.0F;      ///< x of the lane
  float margin = 0.0F;    ///< of the diagram, below the lane
};

/// The encoder's output runs to every layer of the decoder: along a lane, from which ways branch off between
/// its ends.
void connect_memory(const MemoryLane& at, Diagram& diagram);

}  // namespace headscope
