#include "core/tasks/task.h"

#include "core/tasks/pronouns.h"
#include "core/tasks/sequences.h"

namespace headscope {

std::string Task::target_of(std::string_view /*source*/) const {
  return {};
}

const Task& task(TaskKind kind) {
  switch (kind) {
    case TaskKind::copying:
      return copying_task();
    case TaskKind::reversing:
      return reversing_task();
    case TaskKind::pronouns:
      break;
  }
  return pronouns_task();
}

std::optional<TaskKind> task_named(std::string_view name) {
  for (const TaskKind kind : {TaskKind::pronouns, TaskKind::copying, TaskKind::reversing})
    if (task(kind).name() == name) return kind;
  return std::nullopt;
}

}  // namespace headscope
