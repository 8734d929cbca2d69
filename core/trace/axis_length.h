#pragma once

#include "core/model/architecture.h"
#include "core/trace/stage.h"

namespace headscope {

/// What the sizes of stages depend on.
struct AxisSizes {
  const Architecture& architecture;
  int table_rows = 0;  ///< of the embedding table; 0: there is none
  int n_words = 0;     ///< of the final linear layer
  int n_source = 0;    ///< tokens of the first stack
  int n_target = 0;    ///< of the decoder, where there are two stacks
};

/// How long an axis of a stage is, which the model of a valid architecture has.
int axis_length(const AxisSizes& sizes, const StageId& stage, Axis axis);

}  // namespace headscope
