#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/engine/training_worker.h"
#include "core/scene/effect.h"
#include "core/session/session.h"

namespace headscope {

/// What is known of the weights that sessions with a task may show: the run under way, those before it, and
/// what needs no training again. A plain value.
struct TrainingPlan {
  std::optional<TrainingRun> run;
  std::shared_ptr<const TrainingProgress> progress;  ///< the newest of that run; null before the first
  std::optional<TrainingSettings> ordered;           ///< the settings that the run was last given
  bool follows = true;                               ///< the session shows the newest weights
  int attempts = 0;                                  ///< runs so far
  bool was_asked_for = false;                        ///< somebody started one, not a change of the model

  /// The runs that the trainer can restore, the last one at the end.
  struct Suspended {
    std::shared_ptr<const TrainingProgress> known;  ///< what was known of it last
    bool follows = true;
  };
  std::vector<Suspended> suspended;
  std::optional<Suspended> restored;  ///< what was known of the run before it published anything again

  /// The bundled models that were read; null where one could not be.
  std::map<TaskKind, ModelValue> bundled;
  std::optional<TaskKind> reads;  ///< the one that is being read

  struct Trained {
    ModelValue model;
    TrainingSettings settings;
  };
  std::deque<Trained> trained;  ///< to the end, with these settings; the last few
};

// Each of these appends what is to be done to `effects`.

/// Brings run and session together: leaves a run that is of another model, gives it the session's settings,
/// and starts one where the session has a task and neither weights nor a run.
void settle_training(TrainingPlan& plan, const Session& session, Effects& effects);

/// The weights that the session, which has none, should show; null where they must be found first.
ModelValue known_weights(const TrainingPlan& plan, const Session& session);

/// Whether continuing begins with random weights: the session has a task, and there is no training of these
/// weights to continue.
bool begins_anew(const TrainingPlan& plan, const Session& session);
void toggle_training(TrainingPlan& plan, const Session& session, Effects& effects);
void step_training(TrainingPlan& plan, const Session& session, Effects& effects);
void reset_training(TrainingPlan& plan, const Session& session, Effects& effects);
/// Leaves the run; the session keeps the weights that it shows.
void leave_training(TrainingPlan& plan, Effects& effects);
/// After undo and redo: continues with the run that found the session's weights, if it is still kept.
void find_training_again(TrainingPlan& plan, const Session& session, Effects& effects);
/// What the trainer published.
void take_progress(TrainingPlan& plan, const std::shared_ptr<const TrainingProgress>& progress);

}  // namespace headscope
