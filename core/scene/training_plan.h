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

/// What is known about the weights that sessions with a task may show: the present run, earlier runs, and
/// models that need not be trained again. A plain value.
struct TrainingPlan {
  std::optional<TrainingRun> run;
  /// The latest progress of the run. Null before the first.
  std::shared_ptr<const TrainingProgress> progress;
  std::optional<TrainingSettings> ordered;  ///< The settings that the run received last.
  bool follows = true;                      ///< The session shows the newest weights.
  int attempts = 0;                         ///< The number of runs so far.

  /// The runs that the trainer can restore, the latest one last.
  struct Suspended {
    std::shared_ptr<const TrainingProgress> known;  ///< What was last known of the run.
    bool follows = true;
  };
  std::vector<Suspended> suspended;
  /// What was last known of a restored run that has not published any progress since.
  std::optional<Suspended> restored;

  /// The bundled models that were read. Null for a model that could not be read.
  std::map<TaskKind, ModelValue> bundled;
  std::optional<TaskKind> reads;  ///< The task whose model is being read.

  struct Trained {
    ModelValue model;
    TrainingSettings settings;
  };
  std::deque<Trained> trained;  ///< The latest models that were trained to the end with these settings.
};

// Each of these functions appends the orders that it requires to `effects`.

/// Makes the run match the session. Leaves a run of another model, passes the session's settings to the run,
/// and starts a run if the session has a task but neither weights nor a run.
void settle_training(TrainingPlan& plan, const Session& session, Effects& effects);

/// The weights that a session without weights should show. Null if they have to be found first.
ModelValue known_weights(const TrainingPlan& plan, const Session& session);

/// Whether training would start from random weights: the session has a task, but no training of its weights
/// can be continued.
bool begins_anew(const TrainingPlan& plan, const Session& session);
void toggle_training(TrainingPlan& plan, const Session& session, Effects& effects);
void step_training(TrainingPlan& plan, const Session& session, Effects& effects);
void reset_training(TrainingPlan& plan, const Session& session, Effects& effects);
/// Leaves the run. The session keeps the weights that it shows.
void leave_training(TrainingPlan& plan, Effects& effects);
/// Called after undo and redo. Continues the run that produced the session's weights, if it is still kept.
void find_training_again(TrainingPlan& plan, const Session& session, Effects& effects);
/// Takes over the progress that the trainer published.
void take_progress(TrainingPlan& plan, const std::shared_ptr<const TrainingProgress>& progress);

}  // namespace headscope
