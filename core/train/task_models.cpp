#include "core/train/task_models.h"

namespace headscope {

TaskModel task_model(TaskKind task) {
  TaskModel model;
  Architecture& a = model.architecture;
  a.d_model = 64;
  a.n_heads = 4;
  a.n_layers = 2;
  a.d_ff = 128;
  a.norm = Norm::pre;
  a.residual = true;
  a.output_layer = OutputLayer::tied;
  a.scales_embedding = true;
  model.steps = 3000;
  model.options.adam.decay_steps = model.steps;
  switch (task) {
    case TaskKind::pronouns:
      a.stacks = Stacks::encoder;
      break;
    case TaskKind::copying:
      a.stacks = Stacks::decoder;
      break;
    case TaskKind::reversing:
      a.stacks = Stacks::encoder_decoder;
      a.n_layers = 1;
      break;
  }
  return model;
}

}  // namespace headscope
