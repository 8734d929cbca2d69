#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The program's name, the workspaces, and what acts on the whole: finding, undo, comparing, presenting,
/// export. A narrow bar leaves out what a menu or a key serves, too.
void top_bar(Frame& frame);

}  // namespace headscope
