#pragma once

#include <string>

namespace headscope {

/// What the keys of a frame did to a number that is typed without a field.
struct AnswerKeys {
  bool changed = false;  ///< letters came or went
  bool entered = false;  ///< Enter
};

/// Adds the letters of a number that were typed in this frame, unless a text field has the keyboard. `anew`:
/// the next letter takes the place of what was typed.
AnswerKeys answer_keys(std::string& typed, bool anew);

}  // namespace headscope
