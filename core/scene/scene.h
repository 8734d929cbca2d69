#pragma once

#include <optional>

#include "core/scene/training_plan.h"
#include "core/session/history.h"

namespace headscope {

/// The whole state that actions change: a plain value. What is saved and shared of it is the present session.
struct Scene {
  explicit Scene(Session session) : history(std::move(session)) {}

  History history;
  TrainingPlan training;
  std::optional<TaskKind> opens;  ///< the task that was asked for while its model is read
  std::string lacks_model;   ///< the file of the scene, where it was opened without its model; else empty
  bool seeks_token = false;  ///< the token that was looked at went while the sentence was typed

  const Session& session() const { return history.present(); }
};

/// Whether the session shows the weights that it should, as far as is known. A running training, which may
/// take any time, is not waited for.
bool shows_its_weights(const Scene& scene);

/// Whether the session shows older weights than those that its training has found, and follows it.
bool is_behind(const Scene& scene);

}  // namespace headscope
