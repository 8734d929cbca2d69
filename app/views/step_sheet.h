#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The links below a step of a lesson that was opened from a file: to write its words, to move it, to leave
/// it out, and to take the last of these changes back.
void author_links(Frame& frame);

/// The sheet in which the words of a step are written.
void step_sheet(Frame& frame);

}  // namespace headscope
