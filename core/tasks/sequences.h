#pragma once

#include "core/tasks/task.h"

namespace headscope {

/// Random words and the last of them again: from there on a decoder's next word is determined.
const Task& copying_task();

/// Random words for the encoder, to be written backwards by the decoder.
const Task& reversing_task();

}  // namespace headscope
