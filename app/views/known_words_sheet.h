#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sheet with everything that the task of the session's model knows: sentences to choose from, and its
/// words by kind.
void known_words_sheet(Frame& frame);

}  // namespace headscope
