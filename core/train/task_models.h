#pragma once

#include "core/model/architecture.h"
#include "core/tasks/task.h"
#include "core/train/trainer.h"

namespace headscope {

/// The default settings for training a task.
struct TaskModel {
  Architecture architecture;
  TrainOptions options;
  int steps = 0;
  int quick_steps = 0;  ///< Enough steps to see the effect of a change of the architecture.
};
TaskModel task_model(TaskKind task);

}  // namespace headscope
