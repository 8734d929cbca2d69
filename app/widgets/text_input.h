#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "app/ui/ui.h"

namespace headscope {

struct TextInputLook {
  const char* hint = "";
  bool selects_all = false;  ///< when it takes the keyboard focus, so that typing replaces the text
  bool read_only = false;
  float height = 0.0F;   ///< of several lines, in ImGui pixels; 0: one line. Without a hint
  int* moved = nullptr;  ///< counts the arrows down minus those up; null: the field ignores them
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();  ///< the rest is cut off
};

/// The field that is used for every text in the window: one line or several without a length limit, in which
/// every character of Unicode can be typed, copied and pasted, whatever ImGui's own fields can hold. Of the
/// characters that these cannot hold, 39,921 different ones are available in a run of the program
/// (WidgetCharacters); an edit that needs more is refused. `text` belongs to the caller: if it has changed
/// from outside, the field follows, even while it is being edited. The field has no undo history, and Escape
/// leaves the text unchanged. Returns true if `text` was edited.
bool text_input(Ui& ui, const char* id, std::string& text, const TextInputLook& look);

}  // namespace headscope
