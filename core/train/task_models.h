#pragma once

#include "core/model/architecture.h"
#include "core/tasks/task.h"
#include "core/train/trainer.h"

namespace headscope {

/// The default architecture and training settings of a task.
struct TrainingRecipe {
  Architecture architecture;
  TrainOptions options;
  int steps = 0;
  int quick_steps = 0;  ///< Enough to see the effect of a change of the architecture
};
TrainingRecipe training_recipe(TaskKind task);

}  // namespace headscope
