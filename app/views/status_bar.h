#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// A quiet line that says how to read the pictures and what they were computed with.
void status_bar(Frame& frame, int n_threads);

}  // namespace headscope
