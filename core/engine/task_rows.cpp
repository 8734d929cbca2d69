#include "core/engine/task_rows.h"

#include "core/tasks/task.h"
#include "core/train/attention.h"
#include "core/train/task_models.h"

namespace headscope {
namespace {

std::vector<int> ids_of(std::span<const Token> tokens) {
  std::vector<int> ids;
  ids.reserve(tokens.size());
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

}  // namespace

TaskRows task_rows(const TrainedModel& model, std::span<const Token> source, std::span<const Token> target) {
  const auto kind = task_named(model.task);
  if (!kind) return {};
  const Task& learned = task(*kind);
  if (learned.vocabulary().words() != model.vocabulary.words()) return {};
  const std::vector<int> source_ids = ids_of(source);
  const std::vector<int> target_ids = ids_of(target);
  TaskRows rows;
  rows.wanted = learned.wanted(source_ids, target_ids);
  rows.demands = learned.demands(source_ids, target_ids, rows.wanted);
  rows.looks = learned.looks(source_ids);
  rows.possible = learned.possible(source_ids);
  rows.trained_on = learned.trained_on();
  const Architecture& a = model.model.architecture;
  const bool is_learning =
      std::holds_alternative<TaskSource>(model.source) && model.steps < task_model(*kind).quick_steps;
  if (learned.teaches_head()) rows.taught = TaughtHead{a.n_layers - 1, taught_head, is_learning};
  return rows;
}

}  // namespace headscope
