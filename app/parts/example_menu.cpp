#include "app/parts/example_menu.h"

#include "app/widgets/controls.h"
#include "core/engine/opening.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

constexpr const char* label = "Examples ▾";

}  // namespace

float example_menu_width(const Ui& ui, const Session& session) {
  return task_named(session.task) ? menu_width(ui, label) : 0.0F;
}

void example_menu(Frame& frame) {
  const auto kind = task_named(frame.session.task);
  if (!kind) return;
  std::vector<std::string> entries;
  for (const std::string& sentence : task(*kind).example_sentences()) entries.push_back(sentence);
  const auto all_it_knows = static_cast<int>(entries.size());
  entries.emplace_back("All it knows…");
  const auto chosen = menu(frame.ui, label, entries, "Sentences that the model was trained for");
  if (!chosen) return;
  if (*chosen == all_it_knows) return frame.emit(CommandId::known_words);
  for (const Action& action : showing_example(frame.session, entries[static_cast<std::size_t>(*chosen)]))
    frame.emit(action);
}

}  // namespace headscope
