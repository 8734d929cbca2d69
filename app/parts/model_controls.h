#pragma once

#include <array>

#include "app/parts/frame.h"
#include "core/tasks/task.h"

namespace headscope {

/// The command that opens the trained model of a task. The tasks are in the order in which they are offered.
struct TaskCommand {
  TaskKind task;
  CommandId opens;
};
inline constexpr std::array task_commands{TaskCommand{TaskKind::pronouns, CommandId::open_pronouns},
                                          TaskCommand{TaskKind::copying, CommandId::open_copying},
                                          TaskCommand{TaskKind::reversing, CommandId::open_reversing}};

/// Chooses the model: a bundled one, a starting point with random weights, or the user's own. Also describes
/// what its weights know, and their progress during training.
void model_controls(Frame& frame);

/// A button that restores the settings that the model or starting point began with, in one step.
void defaults_button(Frame& frame);

}  // namespace headscope
