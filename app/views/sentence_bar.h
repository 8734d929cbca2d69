#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sentence, large, to type into; how many tokens it has and how long the pass took.
void sentence_bar(Frame& frame);

}  // namespace headscope
