#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// What the task of the session's model knows: sentences to choose from, and its words by their kinds.
void known_words_sheet(Frame& frame);

}  // namespace headscope
