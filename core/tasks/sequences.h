#pragma once

#include "core/tasks/task.h"

namespace headscope {

/// Random words, followed by the last of them again. A decoder's next word is determined once they repeat.
const Task& copying_task();

/// Random words for the encoder, which the decoder must write backwards.
const Task& reversing_task();

}  // namespace headscope
