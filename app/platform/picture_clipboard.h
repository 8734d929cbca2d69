#pragma once

#include <string>

#include "core/result.h"

namespace headscope {

/// Puts a PNG file on the desktop's clipboard. GLFW supports only text, and a window system asks the owner of
/// a picture for it at every paste. Therefore another program keeps the picture, even after this program has
/// ended: wl-copy on Wayland and xclip on X11. Waits at most a few seconds until that program has the
/// picture. The error says what is missing and what to install. May be called from any thread.
Result<void> copy_picture_to_desktop(const std::string& png);

}  // namespace headscope
