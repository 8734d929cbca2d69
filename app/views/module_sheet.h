#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The weights of an attention module that were dropped: how many heads they have, which no file says, and
/// where its names say no format, which one they are in.
void module_sheet(Frame& frame);

}  // namespace headscope
