#pragma once

#include "app/cli/run_command_line.h"

namespace headscope {

/// Opens the window, runs it until it is closed, and saves the settings. Returns the exit code: 0, or 1 after
/// a message on standard error (no display, no OpenGL 3.3, a screenshot that cannot be written).
int run_window(const WindowRequest& request);

}  // namespace headscope
