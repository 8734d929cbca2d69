#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// What is to be known of the window's state, in the rest of the line of the views: the first message with
/// its links, how many more there are, and at the right end a chip for each mode. Without a message, what the
/// view is for. The line has one height whatever it says, so that nothing below it moves; what has no room
/// in it is a click away.
void message_line(Frame& frame);

}  // namespace headscope
