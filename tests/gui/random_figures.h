#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/sources.h"
#include "core/checkpoint/bundled_models.h"
#include "core/session/placed.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"
#include "core/textbook/worked_examples.h"
#include "tests/unit/session/random_settings.h"

namespace headscope {

/// The models of tasks, and null for no model.
inline std::vector<std::shared_ptr<const TrainedModel>> bundled_and_none() {
  std::vector<std::shared_ptr<const TrainedModel>> models{nullptr};
  for (const std::string_view name : task_names()) models.push_back(files().model(std::string(name)).value());
  return models;
}

/// Removes what an option says of one stack, which may be another one after later options: files of masks and
/// interventions.
inline void remove_what_names_stacks(Subject& subject) {
  AttentionOptions& attention = subject.attention;
  for (MaskSpec* mask : {&attention.mask, &attention.target_mask, &attention.cross_mask})
    mask->loaded.clear();
  subject.interventions = {};
}

/// The session without what a command cannot hold: zero bytes, names that the program does not know, and
/// files of masks that a model does not have.
inline Session tellable(Session session) {
  const Architecture& a = session.architecture;
  const bool has_other_stacks = std::ranges::any_of(
      session.held, [&](const Subject& held) { return held.architecture.stacks != a.stacks; });
  if (!a.has_self()) session.attention.mask.loaded.clear();
  if (!a.has_cross()) session.attention.cross_mask.loaded.clear();
  if (!a.has_cross() || !a.has_self()) session.attention.target_mask.loaded.clear();
  if (has_other_stacks) remove_what_names_stacks(session);
  for (const Setting& each : all_settings)
    if (const auto* text = std::get_if<field::Text>(&each.field))
      std::erase(text->value.write(session), '\0');
  for (std::string& text : session.batch) std::erase(text, '\0');
  if (!task_named(session.task)) session.task.clear();
  if (worked_example(session.textbook) == nullptr) session.textbook.clear();
  if (!check_given(repaired(session, session))) session.given = {};
  for (Subject& held : session.held) {
    held = tellable(with_subject(session, held)).subject();
    if (has_other_stacks) remove_what_names_stacks(held);
  }
  return repaired(session, session);
}

}  // namespace headscope
