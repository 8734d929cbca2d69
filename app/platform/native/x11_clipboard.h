#pragma once

#include <functional>
#include <string>

#include "core/result.h"

namespace headscope {

/// The text on the clipboard of the X server that DISPLAY names; empty if there is none. GLFW would wait for
/// the clipboard's owner indefinitely. This fails after a second without data, after ten seconds in total, or
/// beyond 64 MiB. Calls `meanwhile` repeatedly, because the owner may be this process.
Result<std::string> read_x11_clipboard(const std::function<void()>& meanwhile);

}  // namespace headscope
