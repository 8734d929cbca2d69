#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// For an audience: the page of the view without its controls. `follows_stages`: a stage that was stepped to
/// comes into sight.
void presented_view(Frame& frame, bool follows_stages);

}  // namespace headscope
