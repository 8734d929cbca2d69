#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of a text that is decoded token by token with a cache.
void decoding_view(Frame& frame);

}  // namespace headscope
