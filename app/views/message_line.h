#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Shows the state of the window in the rest of the line of views: the first message with its links, the
/// number of further messages, and at the right end a chip for each mode. Without a message, it states the
/// purpose of the view. The line always has the same height, so nothing below it moves. Whatever does not fit
/// can be opened with a click.
void message_line(Frame& frame);

}  // namespace headscope
