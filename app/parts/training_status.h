#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How far the training of the session's model is, what stands in its way, and the button that stops it or
/// lets it go on. Nothing where nothing is trained.
void training_status(Frame& frame);

/// "12 s", "3 min": about so long.
std::string about(double seconds);

}  // namespace headscope
