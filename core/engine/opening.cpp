#include "core/engine/opening.h"

#include <algorithm>

#include "core/checkpoint/bundled_models.h"
#include "core/tasks/task.h"
#include "core/train/task_models.h"

namespace headscope {
namespace {

/// The token of an example whose row shows what a task is about: a pronoun, a word of the second half, a word
/// of the target.
int token_to_look_at(TaskKind kind, const std::string& example) {
  const std::vector<Token> tokens = tokenize(example, TokenizerKind::word);
  const auto n = static_cast<int>(tokens.size());
  if (kind == TaskKind::reversing) return 1;
  if (kind == TaskKind::copying) return n * 3 / 4;
  const auto it = std::ranges::find(tokens, "it", &Token::lookup);
  return it == tokens.end() ? 0 : static_cast<int>(it - tokens.begin());
}

}  // namespace

OpenModel opening(const std::shared_ptr<const TrainedModel>& model) {
  OpenModel action{model, {}, {}};
  const auto kind = task_named(model->task);
  if (!kind) return action;
  const TaskModel recipe = task_model(*kind);
  action.training = {recipe.quick_steps, recipe.options.batch_size, recipe.options.adam.learning_rate};
  action.example = task(*kind).example_sentences().front();
  action.example_target = task(*kind).target_of(action.example);
  action.example_token = token_to_look_at(*kind, action.example);
  return action;
}

Result<Session> opening_session() {
  return open_model(std::string(bundled_models.front())).map([](const auto& model) {
    return reduce(default_session(), opening(model));
  });
}

}  // namespace headscope
