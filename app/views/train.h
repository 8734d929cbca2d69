#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// A task's model as it learns: what it is told to do and how far it is, its curves, the selected head as it
/// settles, what it should say beside what it says, and the gradient of any weight matrix.
void train_view(Frame& frame);

}  // namespace headscope
