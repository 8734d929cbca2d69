#pragma once

#include <optional>
#include <string>

#include "app/ui/ui.h"

namespace headscope {

struct ValueBox {
  ImVec2 right_top;  ///< the screen position of the upper right corner
  float height = 0.0F;
  bool is_field = false;  ///< always looks like a field, because nothing else changes the number
};

/// A monospaced number that becomes a field when it is clicked, on Enter, or with `open`. Returns the typed
/// text once the user presses Enter or moves elsewhere. Escape discards the text. Both texts have '-', which
/// is shown as a minus sign.
std::optional<std::string> value_edit(Ui& ui, const char* id, const std::string& number, const ValueBox& box,
                                      bool open, const char* tooltip);

}  // namespace headscope
