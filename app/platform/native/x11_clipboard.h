#pragma once

#include <functional>
#include <string>

#include "core/result.h"

namespace headscope {

/// The text on the clipboard of the X server that DISPLAY names; empty if there is none. Its owner sends it,
/// and GLFW would wait for the owner for ever. This gives up when nothing has come for a second, not all in
/// ten, or more than 64 MiB. `meanwhile` is called again and again, because the owner may be this program
/// itself.
Result<std::string> read_x11_clipboard(const std::function<void()>& meanwhile);

}  // namespace headscope
