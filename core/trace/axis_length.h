#pragma once

#include "core/model/architecture.h"
#include "core/trace/stage.h"

namespace headscope {

/// The quantities that the sizes of stages depend on.
struct AxisSizes {
  const Architecture& architecture;
  int table_rows = 0;  ///< rows of the embedding table; 0 if there is none
  int n_words = 0;     ///< words of the final linear layer
  int n_source = 0;    ///< tokens of the first stack
  int n_target = 0;    ///< tokens of the decoder if there are two stacks
};

/// The length of an axis of a stage. The architecture must be valid and have the stage.
int axis_length(const AxisSizes& sizes, const StageId& stage, Axis axis);

}  // namespace headscope
