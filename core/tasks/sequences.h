#pragma once

#include "core/tasks/task.h"

namespace headscope {

/// Random words and the same again: a decoder's next word is determined in the second half.
const Task& copying_task();

/// Random words for the encoder, to be written backwards by the decoder.
const Task& reversing_task();

}  // namespace headscope
