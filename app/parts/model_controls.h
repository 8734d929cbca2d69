#pragma once

#include <array>

#include "app/parts/frame.h"
#include "core/tasks/task.h"

namespace headscope {

/// What opens the trained model of each task, in the order in which they are offered.
struct TaskCommand {
  TaskKind task;
  CommandId opens;
};
inline constexpr std::array task_commands{TaskCommand{TaskKind::pronouns, CommandId::open_pronouns},
                                          TaskCommand{TaskKind::copying, CommandId::open_copying},
                                          TaskCommand{TaskKind::reversing, CommandId::open_reversing}};

/// Which model it is: a bundled one, a starting point with random weights, or the user's own; what its
/// weights know, and their progress while they are being trained.
void model_controls(Frame& frame);

/// Takes the settings back to what the model or the starting point began with, in one step.
void defaults_button(Frame& frame);

}  // namespace headscope
