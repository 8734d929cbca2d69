#include "core/tasks/task.h"

#include <algorithm>
#include <cstddef>

#include "core/enum_count.h"
#include "core/tasks/pronouns.h"
#include "core/tasks/sequences.h"

namespace headscope {

std::string Task::target_of(std::string_view /*source*/) const {
  return {};
}

std::vector<int> Task::looks(std::span<const int> /*source*/) const {
  return {};
}

std::vector<std::vector<int>> Task::possible(std::span<const int> /*source*/) const {
  return {};
}

bool Task::teaches_head() const {
  return std::ranges::any_of(parts(), &LossPart::is_of_looks);
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
  for (std::size_t i = 0; i < enum_count<TaskKind>; ++i) {
    const auto kind = static_cast<TaskKind>(i);
    if (task(kind).name() == name) return kind;
  }
  return std::nullopt;
}

}  // namespace headscope
