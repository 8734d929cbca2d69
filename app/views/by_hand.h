#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of a small head whose numbers are typed in their places.
void by_hand_view(Frame& frame);

}  // namespace headscope
