#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The controls for the token that was decoded last, for playing the other steps, and for what the cache is
/// compared with. If nothing can be decoded because a causal mask is missing, offers that mask. Needs a pass.
void decoding_controls(Frame& frame);

}  // namespace headscope
