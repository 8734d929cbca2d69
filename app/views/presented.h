#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Shows the page of the view to an audience, without its controls. With `follows_stages`, the page scrolls
/// to a stage that a step has reached.
void presented_view(Frame& frame, bool follows_stages);

}  // namespace headscope
