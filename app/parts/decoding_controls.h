#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Which token was decoded last, whether the others follow by themselves, and what the cache is compared
/// with; where nothing can be decoded for want of a causal mask, that. Needs a pass.
void decoding_controls(Frame& frame);

}  // namespace headscope
