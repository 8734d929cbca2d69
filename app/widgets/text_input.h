#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "app/ui/ui.h"

namespace headscope {

struct TextInputLook {
  const char* hint = "";
  bool selects_all = false;  ///< when it takes the keyboard, so that typing replaces the text
  int* moved = nullptr;      ///< counts the arrows down less those up; null: they are not for the field
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();  ///< the rest is cut off
};

/// The field that every text of the window is typed into: one line that grows without bound, in which every
/// character of Unicode can be typed, copied and pasted, whatever ImGui's own fields can hold; of those that
/// they cannot hold 39,921 different ones in a run of the program (WidgetCharacters): an edit that would need
/// more is not taken. `text` is the
/// caller's: when it changed from outside, the field follows even while it is edited. It has no history of
/// its own, and Escape leaves it as it is. True when `text` was edited.
bool text_input(Ui& ui, const char* id, std::string& text, const TextInputLook& look);

}  // namespace headscope
