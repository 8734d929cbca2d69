#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The bar with the program's name, the workspaces, and the commands that affect everything: find, undo,
/// compare, present and export. A narrow bar leaves out what a menu or a key also offers.
void top_bar(Frame& frame);

}  // namespace headscope
