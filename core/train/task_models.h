#pragma once

#include "core/model/architecture.h"
#include "core/tasks/task.h"
#include "core/train/trainer.h"

namespace headscope {

/// What a task is trained with unless something else is asked for.
struct TaskModel {
  Architecture architecture;
  TrainOptions options;
  int steps = 0;
};
TaskModel task_model(TaskKind task);

}  // namespace headscope
