#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// For an audience: the page of the view without its controls. A stage that was stepped to comes into sight.
void presented_view(Frame& frame);

}  // namespace headscope
