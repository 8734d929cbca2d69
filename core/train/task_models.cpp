#include "core/train/task_models.h"

namespace headscope {

TrainingRecipe training_recipe(TaskKind task) {
  TrainingRecipe model;
  Architecture& a = model.architecture;
  AdamOptions& adam = model.options.adam;
  a.d_model = 64;
  a.n_heads = 4;
  a.d_ff = 128;
  a.residual = true;
  a.output_layer = OutputLayer::tied;
  a.scales_embedding = true;
  switch (task) {
    case TaskKind::pronouns:
      a.stacks = Stacks::encoder;
      a.n_layers = 2;
      a.norm = Norm::pre;
      a.activation = Activation::gelu;
      a.seed = 1;
      // The deciding word can be anywhere, so distances are more informative than positions.
      a.positions = Positions::rotary;
      adam.learning_rate = 5e-3F;
      // The grammar is narrower than English; small weights generalise better to unknown words.
      adam.weight_decay = 0.02F;
      model.options.batch_size = 96;
      model.steps = 12000;
      model.quick_steps = 600;
      break;
    case TaskKind::copying:
      a.stacks = Stacks::decoder;
      a.n_layers = 2;
      // With a norm, heads that attend to many places at once are learned long before the one that finds the
      // current word, and then interfere with it.
      a.norm = Norm::none;
      a.positions = Positions::learned;
      adam.learning_rate = 7e-3F;
      model.steps = 1000;
      model.quick_steps = 600;
      break;
    case TaskKind::reversing:
      a.stacks = Stacks::encoder_decoder;
      a.n_layers = 1;
      a.norm = Norm::pre;
      a.positions = Positions::learned;
      adam.learning_rate = 7e-3F;
      model.steps = 1000;
      model.quick_steps = 400;
      break;
  }
  adam.decay_steps = model.steps;
  return model;
}

}  // namespace headscope
