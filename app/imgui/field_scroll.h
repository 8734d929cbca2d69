#pragma once

namespace headscope {

/// By how many pixels the text field that is being edited has scrolled sideways. 0 if none is.
float scroll_of_active_field();

}  // namespace headscope
