#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// A cell's derivation: the strips of numbers that were combined, and the steps down to the value.
void derivation_part(Frame& frame, const Explanation& explanation);

}  // namespace headscope
