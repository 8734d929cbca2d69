#pragma once

#include <memory>

#include "app/platform/window.h"

namespace headscope {

/// The canvas of the page as a window, drawn with WebGL 2. page.html sends the events to it. There may be
/// one. The error says what the browser lacks.
Result<std::unique_ptr<Window>> open_web_window(const char* canvas);

}  // namespace headscope
