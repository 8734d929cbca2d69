#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// A text decoded token by token, with a cache.
void decoding_view(Frame& frame);

}  // namespace headscope
