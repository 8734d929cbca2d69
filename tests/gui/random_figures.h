#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/resource_loader.h"
#include "core/checkpoint/model_folder.h"
#include "core/session/placed.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"
#include "core/textbook/worked_examples.h"
#include "tests/unit/session/random_settings.h"

namespace headscope {

/// The bundled models of tasks, and null.
inline std::vector<std::shared_ptr<const TrainedModel>> bundled_models_and_none() {
  std::vector<std::shared_ptr<const TrainedModel>> models{nullptr};
  for (const std::string_view name : task_names()) models.push_back(files().model(std::string(name)).value());
  return models;
}

/// Clears what options say about one stack, which later options may turn into another: mask files and
/// interventions.
inline void clear_stack_options(Subject& subject) {
  AttentionOptions& attention = subject.attention;
  for (MaskSpec* mask : {&attention.mask, &attention.target_mask, &attention.cross_mask})
    mask->loaded.clear();
  subject.interventions = {};
}

/// The session without what a command cannot express: zero bytes, unknown names, and mask files that a model
/// does not have.
inline Session expressible_as_command(Session session) {
  const Architecture& a = session.architecture;
  const bool has_other_stacks = std::ranges::any_of(
      session.compared, [&](const Subject& compared) { return compared.architecture.stacks != a.stacks; });
  if (!a.has_self()) session.attention.mask.loaded.clear();
  if (!a.has_cross()) session.attention.cross_mask.loaded.clear();
  if (!a.has_cross() || !a.has_self()) session.attention.target_mask.loaded.clear();
  if (has_other_stacks) clear_stack_options(session);
  for (const Setting& each : all_settings)
    if (const auto* text = std::get_if<field::Text>(&each.field))
      std::erase(text->value.write(session), '\0');
  for (std::string& text : session.batch) std::erase(text, '\0');
  if (!parse_task_name(session.task)) session.task.clear();
  if (worked_example(session.textbook) == nullptr) session.textbook.clear();
  if (!check_given(repaired(session, session))) session.given = {};
  for (Subject& compared : session.compared) {
    compared = expressible_as_command(with_subject(session, compared)).subject();
    if (has_other_stacks) clear_stack_options(compared);
  }
  return repaired(session, session);
}

}  // namespace headscope
