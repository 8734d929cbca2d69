#pragma once

#include <string>

namespace headscope {

/// The effect of a frame's keys on a number that is typed without a field.
struct AnswerKeys {
  bool changed = false;  ///< letters were added or removed
  bool entered = false;  ///< Enter was pressed
};

/// Adds the letters of a number that were typed in this frame, unless a text field has the keyboard focus.
/// With `anew`, the next letter replaces what was typed.
AnswerKeys answer_keys(std::string& typed, bool anew);

}  // namespace headscope
