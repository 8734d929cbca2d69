#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/training_worker.h"
#include "core/lesson/walk.h"
#include "core/scene/effect.h"
#include "core/session/history.h"
#include "core/session/session.h"

namespace headscope {

/// The weights available to sessions with a task: the current run, suspended runs, and trained models. A
/// plain value.
struct TrainingPlan {
  std::optional<TrainingRun> run;
  /// The latest progress of the run. Null before the first.
  std::shared_ptr<const TrainingProgress> progress;
  std::optional<TrainingSettings> sent_settings;  ///< The settings that were last sent to the run.
  bool follows = true;                            ///< The session shows the newest weights.
  int attempts = 0;                               ///< The number of runs so far.

  /// A run that the trainer can restore.
  struct Suspended {
    std::shared_ptr<const TrainingProgress> known;  ///< Its last progress.
    bool follows = true;
  };
  std::vector<Suspended> suspended;  ///< Latest last.
  /// A restored run that has not published progress yet.
  std::optional<Suspended> restored;

  /// The bundled models read so far. Null for one that could not be read.
  std::map<std::string, ModelRef> bundled;
  std::string loading;  ///< The bundled model being read. Empty if none is.

  struct Trained {
    ModelRef model;
    TrainingSettings settings;
  };
  std::deque<Trained> trained;  ///< The latest models whose training finished, with their settings.
};

// Each of these functions appends its commands for the trainer to `effects`.

/// Makes the run match the session: suspends a run of another model, passes on changed settings, and starts a
/// run if the session has a task but neither weights nor a run.
void reconcile_training(TrainingPlan& plan, const Session& session, Effects& effects);

/// The weights that a session without any should show. Null if they must be read or trained first.
ModelRef known_weights(const TrainingPlan& plan, const Session& session);

/// Whether training would start from random weights, because no run can be resumed.
bool starts_from_scratch(const TrainingPlan& plan, const Session& session);
void toggle_training(TrainingPlan& plan, const Session& session, Effects& effects);
void step_training(TrainingPlan& plan, const Session& session, Effects& effects);
void reset_training(TrainingPlan& plan, const Session& session, Effects& effects);
/// Suspends the run. The session keeps its weights.
void suspend_training(TrainingPlan& plan, Effects& effects);
/// After undo or redo, restores the run that produced the session's weights, if the trainer still has it.
void resume_matching_run(TrainingPlan& plan, const Session& session, Effects& effects);
/// Applies the progress that the trainer published.
void apply_progress(TrainingPlan& plan, const std::shared_ptr<const TrainingProgress>& progress);

/// Captures of one text, pushed one after another by another program such as a training loop. A plain value.
struct CaptureSeries {
  int series = 0;           ///< Counts the texts. 0 before the first.
  SnapshotHistory kept{2};  ///< The earlier ones, thinned out.
  Snapshot newest;          ///< Null before the first.
  bool follows = true;      ///< The session shows the newest.
};

/// The open lesson. A plain value.
struct LessonState {
  LessonWalk walk;
  /// The session to restore at the next start if the learner did nothing but follow the lesson.
  History::Step before;
  History::Step opened;  ///< The session that the lesson opened for the learner.
  /// Animates the session's decimal numbers to those of a step's scene.
  struct Motion {
    History::Step from, to;
    History::Step at;  ///< The current frame. The motion ends once this is not the present session.
    double share = 0.0;
  };
  std::optional<Motion> motion;
  /// A version of an author's lesson, and the step that was shown.
  struct Version {
    std::string text;
    std::size_t step = 0;
    History::Step at;  ///< The session at the time of the change, which can be undone only from there.
  };
  std::vector<Version> past;    ///< The undo stack, newest last.
  std::vector<Version> future;  ///< Undone versions, most recent last.
  /// The window offers the author's tools. Off until the reader of a file asks for them.
  bool is_edited = false;
  /// A write of its file is pending. No other may start until it is answered.
  bool is_writing = false;
};

/// The complete state that events change, as a plain value. Only the present session is saved and shared.
struct Scene {
  explicit Scene(Session session) : history(std::move(session)) {}

  History history;
  TrainingPlan training;
  CaptureSeries pushed;
  std::string opens;  ///< The bundled model to open once it is read. Empty if there is none.
  /// Only the current page needs that model: cancel opening it once the page is left.
  bool opens_only_for_page = false;
  /// The file of a scene that was opened without its model. Empty if no model is missing.
  std::string file_without_model;
  std::optional<LessonState> lesson;
  bool is_creating_lesson = false;  ///< The file of a new lesson is being written.
  /// The selected token disappeared during typing, and none has been selected since.
  bool lost_selected_token = false;

  const Session& session() const { return history.present(); }
};

/// Whether the session shows the weights that it should, as far as is known. Does not wait for training.
bool shows_expected_weights(const Scene& scene);

/// The newest weights of the session's training, or the newest pushed capture of its text, which it shows
/// unless the user looks back. Null if there is neither.
Snapshot newest_of(const Scene& scene);

/// Whether the session should follow newest_of() but shows an older snapshot.
bool is_behind(const Scene& scene);

/// Whether the learner has changed the scene that the lesson opened.
bool has_changed_scene(const Scene& scene);

/// The session that the next start opens. If the texts, weights and given numbers are those of a scene of the
/// lesson and nothing has changed since it was closed, this is the session before the lesson, in the present
/// theme. An author's lesson is always kept.
Session session_to_save(const Scene& scene);

/// Whether the file of a lesson is being written.
inline bool is_writing_lesson(const Scene& scene) {
  return scene.is_creating_lesson || (scene.lesson && scene.lesson->is_writing);
}

/// Whether there is a step to undo or redo: the last change of the author's lesson, or one of the session.
bool can_undo(const Scene& scene);
bool can_redo(const Scene& scene);

}  // namespace headscope
