#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The worked examples: their list, and the chosen one with its printed numbers beside the computed ones.
void textbooks_view(Frame& frame);

}  // namespace headscope
