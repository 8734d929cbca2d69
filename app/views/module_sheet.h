#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sheet for the weights of an attention module that was dropped on the window. It asks for the number of
/// heads, which no file states, and for the format if the names in the file do not reveal it.
void module_sheet(Frame& frame);

}  // namespace headscope
