#pragma once

#include <optional>
#include <string>

#include "app/ui/ui.h"

namespace headscope {

struct ValueBox {
  ImVec2 right_top;  ///< screen position of its right upper corner
  float height = 0.0F;
  bool is_field = false;  ///< it looks like one before it is clicked, too: nothing else changes the number
};

/// A number in mono that a click, Enter or `open` turns into a field. The typed text once it is finished with
/// Enter or by going elsewhere; Escape gives it up.
std::optional<std::string> value_edit(Ui& ui, const char* id, const std::string& shown, const ValueBox& box,
                                      bool open, const char* tooltip);

}  // namespace headscope
