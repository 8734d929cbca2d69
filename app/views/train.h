#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of a task's model as it learns: the task and the progress, the curves, the selected head as its
/// pattern forms, the desired words beside the predicted ones, and the gradient of any weight matrix.
void train_view(Frame& frame);

}  // namespace headscope
