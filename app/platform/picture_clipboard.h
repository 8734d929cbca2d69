#pragma once

#include <string>

#include "core/result.h"

namespace headscope {

/// Puts a PNG file on the desktop's clipboard. GLFW knows only text, and a window system asks the owner of a
/// picture for it whenever somebody pastes: a program of the desktop keeps it for us, wl-copy on Wayland and
/// xclip on X11, also after this program has ended. Waits until that program has it, a few seconds at most.
/// The error says what is missing and what to install. From any thread.
Result<void> copy_picture_to_desktop(const std::string& png);

}  // namespace headscope
