#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of the worked examples: their list, and the chosen one with the printed numbers beside the
/// computed ones.
void textbooks_view(Frame& frame);

}  // namespace headscope
